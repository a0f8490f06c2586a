import { problems, type FieldProblem, type ProblemCode } from '#contract/problem.ts';

type HttpProblemOptions = { errors?: FieldProblem[]; headers?: Record<string, string> };

/** The one way to refuse a request: becomes a problem+json answer. `detail` says what to do next. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: FieldProblem[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, { errors, headers = {} }: HttpProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.status = problems[code].status;
    this.errors = errors;
    this.headers = headers;
  }
}

export const notFound = (what: string): HttpProblem =>
  new HttpProblem(
    'not-found',
    `There is no such ${what}. It may have been deleted, or this token may not see it.`,
  );

/** A refused field: 422 at its pointer. */
export const invalidField = (pointer: string, code: string, detail: string): HttpProblem =>
  new HttpProblem('validation-failed', detail, { errors: [{ pointer, code, detail }] });
