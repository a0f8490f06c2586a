let isPressed = false;
let waiting: (() => void)[] = [];

const release = () => {
  isPressed = false;
  const released = waiting;
  waiting = [];
  // After the click that follows the release.
  setTimeout(() => {
    for (const resolve of released) resolve();
  });
};

document.addEventListener('pointerdown', () => (isPressed = true), { capture: true });
for (const name of ['pointerup', 'pointercancel'])
  document.addEventListener(name, release, { capture: true });
window.addEventListener('blur', release);

/** Resolves once no pointer is pressed: what moves between its press and its release loses the click. */
export const pointerRelease = (): Promise<void> =>
  isPressed
    ? new Promise((resolve) => {
        waiting.push(resolve);
      })
    : Promise.resolve();
