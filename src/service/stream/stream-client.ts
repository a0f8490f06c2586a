import type { ServerResponse } from 'node:http';
import type { StreamFrame, StreamKind } from '#contract/stream.ts';
import type { LiveTopics } from '../live.ts';

const FLUSH_EVERY_MS = 250;
const HEARTBEAT_MS = 15_000;
/** What may wait in memory for a client that does not read. */
const MAX_WAITING_BYTES = 1_048_576;
/** Samples of one series that may wait for the next frame; older ones go, and are there to be queried. */
const MAX_WAITING_SAMPLES = 2_000;

type TelemetryMessage = LiveTopics['telemetry'];

/**
 * Writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) to one client.
 * A client that does not read costs at most MAX_WAITING_BYTES; what it missed is told by one `reset`.
 */
export const createStreamClient = (response: ServerResponse, onHeartbeat: () => void) => {
  const waiting = new Map<string, TelemetryMessage>();
  let hasMissed = false;

  const write = (text: string): boolean => {
    if (response.writableLength > MAX_WAITING_BYTES) return false;
    response.write(text);
    return true;
  };

  const send = <K extends StreamKind>(kind: K, frame: StreamFrame<K>, id?: string): void => {
    const isSent = write(
      `event: ${kind}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(frame)}\n\n`,
    );
    if (!isSent) hasMissed = true;
  };

  const flush = (): void => {
    if (hasMissed && response.writableLength === 0) {
      hasMissed = false;
      send('reset', {});
    }
    if (waiting.size === 0) return;
    const series = [...waiting.values()];
    waiting.clear();
    send('telemetry', { series });
  };

  const timers = [
    setInterval(flush, FLUSH_EVERY_MS),
    setInterval(() => {
      write(': \n\n');
      onHeartbeat();
    }, HEARTBEAT_MS),
  ];

  return {
    send,
    addTelemetry: ({ device, metric, ts, value }: TelemetryMessage): void => {
      const key = `${device}\n${metric}`;
      const known = waiting.get(key);
      const merged =
        known === undefined
          ? { device, metric, ts: [...ts], value: [...value] }
          : { device, metric, ts: known.ts.concat(ts), value: known.value.concat(value) };
      if (merged.ts.length > MAX_WAITING_SAMPLES) hasMissed = true;
      waiting.set(key, {
        ...merged,
        ts: merged.ts.slice(-MAX_WAITING_SAMPLES),
        value: merged.value.slice(-MAX_WAITING_SAMPLES),
      });
    },
    close: (): void => {
      for (const timer of timers) clearInterval(timer);
      response.end();
    },
  };
};
