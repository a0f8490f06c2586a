import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { devicesApi, deviceUpsertItemSchema } from '#contract/devices.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { timeoutError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { refetchDevices } from '../../../resources/devices/device-queries.ts';
import { formatCount } from '../../../ui/format/format-number.ts';
import {
  asTags,
  decodeCsv,
  fieldName,
  guessTargets,
  itemOf,
  readCsv,
  rowProblem,
  type ColumnTarget,
  type CsvTable,
  type ImportItem,
} from '../device-csv.ts';

/** The result of a row, or the expected one in a check. */
export type RowOutcome = {
  readonly row: number;
  readonly outcome: 'registered' | 'updated' | 'unchanged' | 'rejected';
  readonly problem: string;
};

/** Rows whose items have been sent, in order. */
type Run = { readonly isDryRun: boolean; readonly outcomes: readonly RowOutcome[] };

export type ImportState =
  | { readonly step: 'choosing'; readonly problem: string | null }
  | { readonly step: 'mapping' }
  | (Run & { readonly step: 'running'; readonly isStopping: boolean })
  /** `error`: the service could not be reached; undefined: the user stopped it. */
  | (Run & { readonly step: 'stopped'; readonly error: unknown })
  | (Run & { readonly step: 'finished' });

const MAX_FILE_BYTES = 20_000_000;
/** Small enough for progress about once a second, even on a busy machine. */
const ITEMS_PER_REQUEST = 250;
/** Below the limit of the endpoint. */
const CHARACTERS_PER_REQUEST = 500_000;
/** A run ends no sooner after a click, so that the second click of a double click (500 ms on Windows) meets its buttons. */
const MIN_RUN_MS = 600;
/** Without a limit, a connection that stalls would keep the drawer open. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The next items that fit into a request. */
const nextItems = (items: readonly ImportItem[], from: number): readonly ImportItem[] => {
  let [end, length] = [from, 0];
  while (end < items.length && end - from < ITEMS_PER_REQUEST && length < CHARACTERS_PER_REQUEST) {
    length += JSON.stringify(items[end]).length;
    end += 1;
  }
  return items.slice(from, end);
};

const describe = (detail: string, errors: readonly FieldProblem[] | undefined): string =>
  errors === undefined || errors.length === 0
    ? detail
    : errors.map((error) => `${fieldName(error.pointer ?? '')}: ${error.detail}`).join(' ');

/**
 * The problems of rows that are not sent: of several valid ones with one external ID, only the first is. Invalid rows are
 * sent too, so that the service reports their problems.
 */
const problemsOf = (table: CsvTable, items: readonly ImportItem[]): Map<number, string> => {
  const first = new Map<string, number>();
  const problems = new Map<number, string>();
  for (const [row, item] of items.entries()) {
    const { externalId } = item;
    const before = first.get(externalId);
    const problem = rowProblem(table, table.rows[row] ?? []);
    if (problem !== undefined) problems.set(row, problem);
    else if (!deviceUpsertItemSchema.safeParse(item).success) continue;
    else if (before === undefined) first.set(externalId, row);
    else
      problems.set(
        row,
        `Line ${formatCount(table.lines[before] ?? 0)} has the same external ID. Remove one of the lines.`,
      );
  }
  return problems;
};

const sendItems = async (
  items: readonly ImportItem[],
  isDryRun: boolean,
): Promise<Omit<RowOutcome, 'row'>[]> => {
  const body = { operation: 'upsert' as const, items: [...items], dryRun: isDryRun };
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const { results } = await call(devicesApi.batch, { body, signal }).catch((error: unknown) => {
    throw signal.aborted ? timeoutError(error) : error;
  });
  return results.map(({ ok, status, isChanged, problem }) => ({
    outcome: !ok ? 'rejected' : status === 201 ? 'registered' : isChanged ? 'updated' : 'unchanged',
    problem: problem === null ? '' : describe(problem.detail, problem.errors),
  }));
};

/** Imports devices from a CSV file: reads it, maps its columns, checks every row with the service, and sends them. */
export const useDeviceImport = () => {
  const client = useQueryClient();
  const [state, setState] = useState<ImportState>({ step: 'choosing', problem: null });
  const [table, setTable] = useState<CsvTable | null>(null);
  const [fileName, setFileName] = useState('');
  const [targets, setTargets] = useState<readonly ColumnTarget[]>([]);
  const isStopping = useRef(false);
  /** When Stop or the button that started the run was clicked. */
  const clickedAtMs = useRef(0);
  useEffect(
    () => () => {
      isStopping.current = true;
    },
    [],
  );

  const open = async (chosen: File) => {
    try {
      if (chosen.size > MAX_FILE_BYTES) throw new Error('The file is larger than 20 MB. Split it.');
      const read = readCsv(decodeCsv(new Uint8Array(await chosen.arrayBuffer())));
      setTable(read);
      setFileName(chosen.name);
      setTargets(guessTargets(read.header));
      setState({ step: 'mapping' });
    } catch (error) {
      setState({ step: 'choosing', problem: error instanceof Error ? error.message : String(error) });
    }
  };

  const run = async (isDryRun: boolean, before: readonly RowOutcome[] = []) => {
    isStopping.current = false;
    clickedAtMs.current = performance.now();
    // A reload would lose the report. One listener per run: another import may run at the same time.
    const askBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    if (!isDryRun) window.addEventListener('beforeunload', askBeforeUnload);
    const items = (table?.rows ?? []).map((row) => itemOf(row, targets));
    const problems = table === null ? new Map<number, string>() : problemsOf(table, items);
    let outcomes = before;
    setState({ step: 'running', isStopping: false, isDryRun, outcomes });
    const outlastClicks = async () => {
      const restMs = () => clickedAtMs.current + MIN_RUN_MS - performance.now();
      while (restMs() > 0) await new Promise((resolve) => setTimeout(resolve, restMs()));
    };
    try {
      while (outcomes.length < items.length && !isStopping.current) {
        const start = outcomes.length;
        const next = nextItems(items, start);
        const sent = next.filter((_, i) => !problems.has(start + i));
        const results = sent.length === 0 ? [] : await sendItems(sent, isDryRun);
        const answered = results.values();
        outcomes = outcomes.concat(
          next.map((_, i): RowOutcome => {
            const row = start + i;
            const problem = problems.get(row);
            if (problem !== undefined) return { row, outcome: 'rejected', problem };
            return {
              row,
              ...(answered.next().value ?? {
                outcome: 'rejected',
                problem: 'The service sent no result for this row. Import the file again.',
              }),
            };
          }),
        );
        setState({ step: 'running', isStopping: isStopping.current, isDryRun, outcomes });
      }
      await outlastClicks();
      const isFinished = outcomes.length === items.length;
      setState(
        isFinished
          ? { step: 'finished', isDryRun, outcomes }
          : { step: 'stopped', isDryRun, outcomes, error: undefined },
      );
    } catch (error) {
      await outlastClicks();
      setState({ step: 'stopped', isDryRun, outcomes, error });
    } finally {
      window.removeEventListener('beforeunload', askBeforeUnload);
    }
    if (isDryRun) return;
    void refetchDevices(client);
  };

  /** Stops after the rows under way: the service completes them in any case. */
  const stop = () => {
    clickedAtMs.current = performance.now();
    isStopping.current = true;
    setState((current) => (current.step === 'running' ? { ...current, isStopping: true } : current));
  };

  return {
    state,
    table,
    fileName,
    targets,
    open: (chosen: File) => void open(chosen),
    setTarget: (column: number, target: ColumnTarget) =>
      setTargets(targets.map((old, i) => (i === column ? target : old === target ? null : old))),
    setTags: (columns: readonly number[]) => setTargets(asTags(table?.header ?? [], targets, columns)),
    map: () => setState({ step: 'mapping' }),
    check: () => void run(true),
    start: () => void run(false),
    /** Continues where the run stopped. */
    resume: () => {
      if (state.step === 'stopped') void run(state.isDryRun, state.outcomes);
    },
    stop,
    /** The report of a run that Back left is there when the drawer opens again. */
    leave: () => (state.step === 'running' ? stop() : setState({ step: 'choosing', problem: null })),
  };
};

export type DeviceImport = ReturnType<typeof useDeviceImport>;
