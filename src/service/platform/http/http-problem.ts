import { problems, type FieldProblem, type ProblemCode } from '#contract/problem.ts';

type HttpProblemOptions = { errors?: FieldProblem[]; headers?: Record<string, string> };

/** An error that becomes a problem+json response. `detail` says what is wrong and what to do. */
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
    `The ${what} was not found. It may have been deleted, or this token cannot access it.`,
  );

/** The service cannot answer now: 503. Clients may try again after so many seconds. */
export const overloaded = (detail: string, retryAfterS = 1): HttpProblem =>
  new HttpProblem('overloaded', detail, { headers: { 'retry-after': String(retryAfterS) } });

/** An invalid parameter: 400. */
export const invalidParameter = (parameter: string, code: string, detail: string): HttpProblem =>
  new HttpProblem('invalid-parameter', `${parameter}: ${detail}`, { errors: [{ parameter, code, detail }] });

/** An invalid field: 422 at its pointer. */
export const invalidField = (pointer: string, code: string, detail: string): HttpProblem =>
  new HttpProblem('validation-failed', detail, { errors: [{ pointer, code, detail }] });
