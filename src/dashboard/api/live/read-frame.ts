import type * as z from 'zod';
import { streamFrames, type StreamFrame, type StreamKind } from '#contract/stream.ts';

export type FrameListener = <K extends StreamKind>(kind: K, frame: StreamFrame<K>) => void;

const isKind = (name: string): name is StreamKind => Object.hasOwn(streamFrames, name);

/** Parses a frame. An unknown one, of a newer service, is skipped: the next query returns the change. */
export const readFrame = (name: string, data: string, onFrame: FrameListener): void => {
  if (!isKind(name)) return;
  const schema: z.ZodType = streamFrames[name];
  const frame = schema.safeParse(JSON.parse(data));
  if (frame.success) onFrame(name, frame.data as StreamFrame<typeof name>);
};
