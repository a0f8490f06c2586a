import type { FastifyInstance } from 'fastify';
import type { LogEvent } from 'kysely';

/** Attributes of a span, by their names in the semantic conventions of OpenTelemetry, or `penstock.…`. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** Traces of this process. Names of spans and attributes: docs/monitoring.md. */
export type Tracing = {
  /**
   * Runs a function within a span, which is a child of the running one. An error marks the span as failed.
   * @param isRoot starts a trace, for work that several requests share
   */
  span<T>(
    name: string,
    attributes: SpanAttributes,
    run: () => Promise<T>,
    options?: { isRoot?: boolean },
  ): Promise<T>;
  /** Records a statement of the metadata database, once it has ended. Undefined: statements are not traced. */
  readonly onQuery: ((event: LogEvent) => void) | undefined;
  /** Traces a request to another service. `send` gets the headers that name the trace. */
  request<T extends { readonly statusCode: number }>(
    url: URL,
    method: string,
    send: (headers: Record<string, string>) => Promise<T>,
  ): Promise<T>;
  /** Traces the requests to an application. */
  observe(app: FastifyInstance): void;
  /** Exports the spans that have ended. */
  close(): Promise<void>;
};

export const noTracing: Tracing = {
  span: (_name, _attributes, run) => run(),
  onQuery: undefined,
  request: (_url, _method, send) => send({}),
  observe: () => undefined,
  close: async () => undefined,
};
