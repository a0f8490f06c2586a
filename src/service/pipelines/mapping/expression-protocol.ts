/** A request to map messages, in order, with one expression. */
export type ExpressionRequest = {
  readonly expression: string;
  readonly messages: readonly ExpressionInput[];
};

/** `text`: JSON, or any other text if `isJson` is false. */
export type ExpressionInput = {
  readonly text: string;
  readonly isJson: boolean;
  readonly topic: string | null;
  readonly device: string | undefined;
};

/** The answer for one message: the result as JSON (null: no result), the message itself, or why there is no result. */
export type ExpressionAnswer =
  | { readonly isUnchanged: true }
  | { readonly result: string | null }
  | { readonly error: { readonly message: string; readonly position: number | undefined } }
  | { readonly isLate: true };

/** Reports of the host: it is ready; the answer for the next message; or the turn has ended. */
export type ExpressionReport = {
  readonly what: 'ready' | 'end' | ExpressionAnswer;
  /** CPU time of its main thread so far, in ms. */
  readonly cpuMs: number;
};

/**
 * The time limits of one message. `soft` and `hard` are CPU time, so that other load on the machine does not count. At
 * `soft`, JSONata stops the evaluation; at `hard`, the process is killed. `wall` is wall time: the process is killed
 * then, however little CPU time it used.
 */
export const LIMIT_MS = { soft: 80, hard: 100, wall: 2_000 } as const;
