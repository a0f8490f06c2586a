/** What the host of expressions is asked: to map messages, in their order, by one expression. */
export type ExpressionRequest = {
  readonly expression: string;
  readonly messages: readonly ExpressionInput[];
};

/** `text` is JSON, or where it is none the message itself. */
export type ExpressionInput = {
  readonly text: string;
  readonly isJson: boolean;
  readonly topic: string | null;
  readonly device: string | undefined;
};

/** What became of one message: the result as JSON (null: nothing came), or why there is none. */
export type ExpressionAnswer =
  | { readonly result: string | null }
  | { readonly error: { readonly message: string; readonly position: number | undefined } }
  | { readonly isLate: true };

/** From the host: it is there; the answer to the next message; it has worked long enough on this request, or is done. */
export type ExpressionReport = {
  readonly what: 'ready' | 'end' | ExpressionAnswer;
  /** What it has computed until then, in ms of CPU time of its main thread. */
  readonly cpuMs: number;
};

/**
 * How long one message may be computed on: CPU time, so that a machine that is busy with something else takes nothing
 * from it. Past the first of these JSONata stops by itself, at the second its process is killed; so it is after `wall`,
 * however little it could compute until then.
 */
export const LIMIT_MS = { soft: 80, hard: 100, wall: 2_000 } as const;
