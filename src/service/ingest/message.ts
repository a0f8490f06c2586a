/** A message as it came. */
export type Message = {
  readonly bytes: Uint8Array;
  readonly topic: string | null;
  /** The device of a message that names none. */
  readonly device: string | undefined;
  /** What the source calls its devices, by external id. */
  readonly deviceNames?: ReadonlyMap<string, string>;
};
