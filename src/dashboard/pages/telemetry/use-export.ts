import { useEffect, useRef, useState } from 'react';
import { telemetryApi } from '#contract/telemetry.ts';
import { openStream } from '../../api/client.ts';
import { download } from './download.ts';
import type { Stretch } from '../../resources/telemetry/time-range.ts';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { countRows } from './count-rows.ts';

export type ExportFormat = 'csv' | 'ndjson';

export type ExportRequest = Stretch & {
  devices: readonly string[];
  metrics: readonly string[];
  format: ExportFormat;
  /** IANA name; the offset of the times in the file. */
  timeZone: string;
};

export type ExportState =
  | { is: 'running'; rows: number; bytes: number; startedMs: number }
  | { is: 'failed'; error: unknown; rows: number; request: ExportRequest };

const types: Record<ExportFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** Parts of a file come by the hundred; the count is read a few times a second. */
const TELL_EVERY_MS = 200;
/** CSV begins with a line of names; NDJSON ends with a line that says that it is whole. */
const LINES_BESIDES_ROWS = 1;

const nameOf = ({ fromMs, toMs, format }: ExportRequest) => {
  const moment = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `telemetry-${moment(fromMs)}Z-${moment(toMs)}Z.${format}`;
};

/** Saves every sample of a range as a file, one export at a time; leaving the page stops it. */
export const useExport = () => {
  const [state, setState] = useState<ExportState | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(
    () => () => {
      if (running.current === null) return;
      running.current.abort();
      showToast({ title: 'The export was stopped: its page was left' });
    },
    [],
  );

  const start = async (request: ExportRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { devices, metrics, fromMs, toMs, format, timeZone } = request;
    const progress = { is: 'running' as const, rows: 0, bytes: 0, startedMs: performance.now() };
    let toldMs = progress.startedMs;
    setState({ ...progress });
    try {
      const stream = await openStream(telemetryApi.export, {
        query: {
          device: [...devices],
          metric: [...metrics],
          from: String(fromMs),
          to: String(toMs),
          format,
          timeZone,
        },
        signal: controller.signal,
      });
      const counted = countRows(stream, (lines) => {
        progress.rows = Math.max(0, lines - LINES_BESIDES_ROWS);
      });
      const fileName = nameOf(request);
      await download(counted, {
        fileName,
        type: types[format],
        onProgress: (bytes) => {
          progress.bytes = bytes;
          if (performance.now() - toldMs < TELL_EVERY_MS) return;
          toldMs = performance.now();
          setState({ ...progress });
        },
      });
      setState(null);
      showToast({ title: `Saved ${plural(progress.rows, 'row')}`, detail: fileName });
    } catch (error) {
      if (controller.signal.aborted) return;
      setState({ is: 'failed', error, rows: progress.rows, request });
    } finally {
      if (running.current === controller) running.current = null;
    }
  };

  return {
    state,
    start: (request: ExportRequest) => void start(request),
    cancel: () => {
      running.current?.abort();
      running.current = null;
      setState(null);
    },
    dismiss: () => setState(null),
  };
};
