import { useEffect, useRef, useState } from 'react';
import type { DeviceFilter } from '#contract/device-filter.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { toTimeText } from '#contract/time-range.ts';
import { openStream } from '../../api/client.ts';
import { selectsDevices } from '../../resources/telemetry/telemetry-queries.ts';
import type { FixedRange } from '../../resources/telemetry/time-range.ts';
import { plural } from '../../ui/format/format-number.ts';
import { saveFile } from '../../ui/browser/save-file.ts';
import { fileNameOf } from './shown-telemetry.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/**
 * Downloads a stream (`openStream(telemetryApi.export, { query, signal })`) and reports the received bytes. Aborting
 * the stream's signal stops the download.
 */
const download = async (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { fileName, type, onProgress }: { fileName: string; type: string; onProgress?: (bytes: number) => void },
): Promise<void> => {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    bytes += part.value.byteLength;
    onProgress?.(bytes);
  }
  saveFile(fileName, new Blob(parts, { type }));
};

const NEWLINE = 10;

/** Passes a stream through and counts its lines. */
const countRows = (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onRows: (rows: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let rows = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) rows += 1;
        onRows(rows);
        controller.enqueue(part);
      },
    }),
  );
};

export type ExportFormat = 'csv' | 'ndjson';

export type ExportRequest = FixedRange & {
  devices: readonly string[];
  filter: DeviceFilter | undefined;
  metrics: readonly string[];
  format: ExportFormat;
};

export type ExportState =
  | { is: 'running'; rows: number; bytes: number; startedMs: number }
  | { is: 'failed'; error: unknown; rows: number; request: ExportRequest };

const types: Record<ExportFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** The progress is reported at most this often. */
const REPORT_EVERY_MS = 200;
/** CSV has a header line; NDJSON has a final line that marks a complete export. */
const LINES_BESIDES_ROWS = 1;

/** Saves every sample of a range as a file, one export at a time; leaving the page stops it. */
export const useExport = () => {
  const [state, setState] = useState<ExportState | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(
    () => () => {
      if (running.current === null) return;
      running.current.abort();
      showToast({ title: 'Export stopped: you left the page' });
    },
    [],
  );

  const start = async (request: ExportRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { devices, filter, metrics, fromMs, toMs, format } = request;
    const progress = { is: 'running' as const, rows: 0, bytes: 0, startedMs: performance.now() };
    let reportedMs = progress.startedMs;
    setState({ ...progress });
    try {
      const stream = await openStream(telemetryApi.export, {
        query: {
          ...(devices.length > 0 && { device: [...devices] }),
          ...filter,
          metric: [...metrics],
          from: toTimeText(fromMs),
          to: toTimeText(toMs),
          format,
        },
        signal: controller.signal,
      });
      const counted = countRows(stream, (lines) => {
        progress.rows = Math.max(0, lines - LINES_BESIDES_ROWS);
      });
      const fileName = fileNameOf(request, format);
      await download(counted, {
        fileName,
        type: types[format],
        onProgress: (bytes) => {
          progress.bytes = bytes;
          if (performance.now() - reportedMs < REPORT_EVERY_MS) return;
          reportedMs = performance.now();
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
    start: (request: ExportRequest) => {
      // Without a selection, the service would export all devices.
      if (selectsDevices(request)) void start(request);
      else showToast({ title: 'Nothing to export', detail: 'No devices are shown.', tone: 'bad' });
    },
    cancel: () => {
      running.current?.abort();
      running.current = null;
      setState(null);
    },
    dismiss: () => setState(null),
  };
};
