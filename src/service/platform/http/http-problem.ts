import { problems, type FieldProblem, type ProblemCode } from '#contract/problem.ts';

type RefusalOptions = { errors?: FieldProblem[]; headers?: Record<string, string> };

/** The one way to refuse a request: becomes a problem+json answer. `detail` says what to do next. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: FieldProblem[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, { errors, headers = {} }: RefusalOptions = {}) {
    super(detail);
    this.code = code;
    this.status = problems[code].status;
    this.errors = errors;
    this.headers = headers;
  }
}

export const notFound = (what: string): Refusal =>
  new Refusal(
    'not-found',
    `There is no such ${what}. It may have been deleted, or this token may not see it.`,
  );

/** A refused field: 422 at its pointer. */
export const invalidField = (pointer: string, code: string, detail: string): Refusal =>
  new Refusal('validation-failed', detail, { errors: [{ pointer, code, detail }] });
