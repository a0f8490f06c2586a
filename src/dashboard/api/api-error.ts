import { describeMissingScopes, missingScopeErrors } from '#contract/missing-scopes.ts';
import { problems, problemSchema, type FieldProblem, type ProblemCode } from '#contract/problem.ts';
import type { Scope } from '#contract/scope.ts';

/** Codes that only the client reports: no response arrived, or a response that Penstock did not send. */
type ClientCode = 'offline' | 'timeout' | 'unexpected-answer';

/** A failed request. `status` is 0 if no response arrived. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode | ClientCode | (string & {});
  readonly status: number;
  /** What happened, in a few words. */
  readonly title: string;
  /** What to do next; empty if unknown. */
  readonly detail: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterMs: number | null;
  /** The operation that failed, such as `POST /v1/devices`; null if unknown. */
  operation: string | null = null;

  constructor(failure: {
    code: ApiError['code'];
    title: string;
    detail: string;
    status?: number;
    requestId?: string | null;
    fields?: readonly FieldProblem[];
    retryAfterMs?: number | null;
    cause?: unknown;
  }) {
    super(`${failure.title}: ${failure.detail}`, { cause: failure.cause });
    this.code = failure.code;
    this.status = failure.status ?? 0;
    this.title = failure.title;
    this.detail = failure.detail;
    this.requestId = failure.requestId ?? null;
    this.fields = failure.fields ?? [];
    this.retryAfterMs = failure.retryAfterMs ?? null;
  }
}

export const offlineError = (cause: unknown) =>
  new ApiError({
    code: 'offline',
    title: 'Cannot reach the service',
    detail: 'Check that Penstock is running and that this computer can reach it.',
    cause,
  });

const SIGNED_OUT = 'Your session has ended. Sign in, then try again.';

/** The error of a request that is not sent, because it needs a token and there is none. */
export const signedOutError = () =>
  new ApiError({
    ...problems['token-missing'],
    code: 'token-missing',
    detail: SIGNED_OUT,
  });

/** The error of a request that is not sent, because the token lacks a scope. */
export const missingScopesError = (missing: readonly Scope[]) =>
  new ApiError({
    ...problems['insufficient-scope'],
    code: 'insufficient-scope',
    detail: describeMissingScopes(missing),
    fields: missingScopeErrors(missing),
  });

export const timeoutError = (cause: unknown) =>
  new ApiError({
    code: 'timeout',
    title: 'No response',
    detail: 'The service did not respond in time. Try again.',
    cause,
  });

export const unexpectedAnswer = (response: Response, cause?: unknown) =>
  new ApiError({
    code: 'unexpected-answer',
    title: `Unexpected response (${response.status})`,
    detail: 'Reload the page: the service may have been updated. The response may also come from a proxy.',
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    cause,
  });

const retryAfterMs = (response: Response): number | null => {
  const header = response.headers.get('retry-after');
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
};

/** Reads an error response: problem+json (RFC 9457), or whatever a proxy sent. */
export const errorOf = async (response: Response): Promise<ApiError> => {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return unexpectedAnswer(response, problem.error);
  const { errors, ...rest } = problem.data;
  return new ApiError({ ...rest, fields: errors ?? [], retryAfterMs: retryAfterMs(response) });
};

/** The title and detail to show for any thrown value. */
export const describeError = (
  error: unknown,
): { title: string; detail: string; requestId: string | null } => {
  if (error instanceof ApiError && error.status === 401) {
    return {
      title: 'Signed out',
      detail: SIGNED_OUT,
      requestId: null,
    };
  }
  if (error instanceof ApiError) {
    const { title, detail, requestId } = error;
    return { title, detail, requestId };
  }
  return {
    title: 'This page failed',
    detail: error instanceof Error ? error.message : 'Try again.',
    requestId: null,
  };
};

export const hasCode = (error: unknown, ...codes: ApiError['code'][]): error is ApiError =>
  error instanceof ApiError && codes.includes(error.code);
