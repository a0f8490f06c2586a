import { describe, expect, it, vi } from 'vitest';
import { createCursor, type CursorListener } from '#dashboard/charts/cursor/cursor.ts';

function cursorWithFrames() {
  const frames: (() => void)[] = [];
  const cursor = createCursor((run) => frames.push(run));
  return { cursor, nextFrame: () => frames.splice(0).forEach((run) => run()), waiting: () => frames.length };
}
const here = Symbol('here');
const there = Symbol('there');

describe('the cursor that charts share', () => {
  it('notifies every chart once a frame, with the latest time', () => {
    const { cursor, nextFrame, waiting } = cursorWithFrames();
    const listeners = [vi.fn<CursorListener>(), vi.fn<CursorListener>()];
    for (const listener of listeners) cursor.subscribe(listener);
    for (let at = 1; at <= 50; at += 1) cursor.moveTo(at, here);
    expect(waiting()).toBe(1);
    nextFrame();
    for (const listener of listeners) {
      expect(listener.mock.calls).toEqual([[{ timeMs: 50, origin: here }]]);
    }
  });

  it('does not notify while nothing moves', () => {
    const { cursor, nextFrame, waiting } = cursorWithFrames();
    cursor.moveTo(5, here);
    nextFrame();
    cursor.moveTo(5, here);
    expect(waiting()).toBe(0);
  });

  it('stays with the chart that took it over when the first is left', () => {
    const { cursor } = cursorWithFrames();
    cursor.moveTo(5, here);
    cursor.moveTo(6, there);
    cursor.leave(here);
    expect(cursor.position()).toEqual({ timeMs: 6, origin: there });
    cursor.leave(there);
    expect(cursor.position()).toBeNull();
  });

  it('drops unsubscribed listeners', () => {
    const { cursor, nextFrame } = cursorWithFrames();
    const listener = vi.fn<CursorListener>();
    cursor.subscribe(listener)();
    cursor.moveTo(1, here);
    nextFrame();
    expect(listener).not.toHaveBeenCalled();
  });
});
