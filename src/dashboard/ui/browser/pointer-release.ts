let isWatched = false;
let isPressed = false;
let waiting: (() => void)[] = [];

const press = ({ button }: PointerEvent) => {
  if (button === 0) isPressed = true;
};

const release = () => {
  isPressed = false;
  const released = waiting;
  waiting = [];
  // After the click that follows the release.
  setTimeout(() => {
    for (const resolve of released) resolve();
  });
};

/** Required before `pointerRelease`. */
export const watchPointer = (): void => {
  if (isWatched) return;
  isWatched = true;
  document.addEventListener('pointerdown', press, { capture: true });
  // A menu of the browser or a drag may swallow the release, and the keyboard needs none.
  for (const name of ['pointerup', 'pointercancel', 'contextmenu', 'dragend', 'keydown'])
    document.addEventListener(name, release, { capture: true });
  window.addEventListener('blur', release);
};

/** Resolves once no pointer is pressed: what moves between its press and its release loses the click. */
export const pointerRelease = (): Promise<void> =>
  isPressed
    ? new Promise((resolve) => {
        waiting.push(resolve);
      })
    : Promise.resolve();
