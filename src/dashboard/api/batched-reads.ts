/** While rows scroll, the request waits for a pause. */
const REST_MS = 250;

type Waiting<T> = {
  id: string;
  signal: AbortSignal;
  resolve: (item: T | null) => void;
  reject: (reason: unknown) => void;
};

/** Reads items of several rows in one request. `load` returns the items by ID; a row without one gets null. */
export const createBatchedReads = <T>(
  maxIds: number,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
) => {
  let waiting: Waiting<T>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const loadRows = async (rows: readonly Waiting<T>[]) => {
    try {
      const items = await load(rows.map(({ id }) => id));
      for (const { id, resolve } of rows) resolve(items.get(id) ?? null);
    } catch (error) {
      for (const { reject } of rows) reject(error);
    }
  };
  /** Rows whose query was cancelled meanwhile are not loaded. */
  const loadWaiting = () => {
    const rows = waiting.filter(({ signal }) => !signal.aborted);
    waiting = [];
    for (let start = 0; start < rows.length; start += maxIds)
      void loadRows(rows.slice(start, start + maxIds));
  };

  return (id: string, signal: AbortSignal): Promise<T | null> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, signal, resolve, reject });
      clearTimeout(timer);
      timer = setTimeout(loadWaiting, REST_MS);
    });
};
