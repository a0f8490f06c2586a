import type { FieldProblem } from '#contract/problem.ts';

type Code = 'malformed-body' | 'validation-failed' | 'body-too-large';

/** The body as a whole cannot be read. Nothing was stored. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  readonly code: Code;
  /** The invalid field, if the body is JSON. */
  readonly field: (FieldProblem & { pointer: string }) | undefined;

  constructor(code: Code, detail: string, field?: FieldProblem & { pointer: string }) {
    super(detail);
    this.code = code;
    this.field = field;
  }
}

/** An invalid field at a JSON pointer. */
export const wrongField = (pointer: string, code: string, detail: string): UnreadableBody =>
  new UnreadableBody('validation-failed', `${pointer || 'The body'}: ${detail}`, { pointer, code, detail });
