import { expect, it } from 'vitest';
import { pointerRelease, watchPointer } from '#dashboard/ui/browser/pointer-release.ts';

watchPointer();

const dispatch = (name: string, init: object = {}) =>
  document.dispatchEvent(Object.assign(new Event(name), { button: 0, ...init }));
const nextTask = () =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });

/** Presses the pointer. `hasEnded()` is true once the release that follows is known. */
const press = (button: number) => {
  dispatch('pointerdown', { button });
  let isReleased = false;
  const waitForRelease = async () => {
    await pointerRelease();
    isReleased = true;
  };
  void waitForRelease();
  return {
    hasEnded: async () => {
      await nextTask();
      await nextTask();
      return isReleased;
    },
  };
};

it.each(['pointerup', 'pointercancel', 'contextmenu', 'dragend', 'keydown'])(
  'a pressed pointer is released by %s',
  async (name) => {
    const { hasEnded } = press(0);
    expect(await hasEnded()).toBe(false);
    dispatch(name);
    expect(await hasEnded()).toBe(true);
  },
);

it('a pressed pointer is released when the window loses the focus', async () => {
  const { hasEnded } = press(0);
  expect(await hasEnded()).toBe(false);
  window.dispatchEvent(new Event('blur'));
  expect(await hasEnded()).toBe(true);
});

it('a press of another button needs no release', async () => {
  expect(await press(2).hasEnded()).toBe(true);
});

it('what follows the release also follows its click', async () => {
  const order: string[] = [];
  document.addEventListener('click', () => order.push('click'), { once: true });
  dispatch('pointerdown');
  void pointerRelease().then(() => order.push('released'));
  dispatch('pointerup');
  dispatch('click');
  await nextTask();
  await nextTask();
  expect(order).toEqual(['click', 'released']);
});
