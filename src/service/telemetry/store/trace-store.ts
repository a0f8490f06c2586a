import type { Tracing } from '../../platform/tracing.ts';
import type { TelemetryStore } from './telemetry-store.ts';

/** Traces the calls of a telemetry store that requests and messages wait for. */
export const traceStore = (store: TelemetryStore, tracing: Pick<Tracing, 'span'>): TelemetryStore =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'close') return method;
      return (...args: unknown[]) =>
        tracing.span(
          `telemetry ${String(name)}`,
          {},
          () => Reflect.apply(method, target, args) as Promise<unknown>,
        );
    },
  });
