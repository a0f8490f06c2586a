import { useEffect, useEffectEvent, useState } from 'react';
import { describeError } from '../../../api/api-error.ts';
import { showToast } from '../../../ui/feedback/toast.ts';

type Options<For> = {
  /** Reads the IDs. `onPage`: how many have been read. */
  read: (what: For, signal: AbortSignal, onPage: (count: number) => void) => Promise<string[]>;
  onRead: (ids: readonly string[], what: For) => void;
  /** The title of the toast if the IDs cannot be read. */
  failure: string;
};

/** Reads the IDs of many devices, page by page, until they are read, `stop` is called or the component is removed. */
export const useIdReading = <For>({ read, onRead, failure }: Options<For>) => {
  /** What is read. Null: nothing. */
  const [reading, setReading] = useState<For | null>(null);
  const [count, setCount] = useState(0);
  const stop = () => setReading(null);
  const readIds = useEffectEvent((what: For, signal: AbortSignal) => read(what, signal, setCount));
  const finish = useEffectEvent((ids: readonly string[], what: For) => {
    onRead(ids, what);
    stop();
  });
  const report = useEffectEvent((error: unknown) => {
    showToast({ title: failure, detail: describeError(error).detail, tone: 'bad' });
    stop();
  });
  useEffect(() => {
    if (reading === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const run = async () => {
      try {
        const ids = await readIds(reading, signal);
        if (!signal.aborted) finish(ids, reading);
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    };
    void run();
    return () => controller.abort();
  }, [reading]);

  return {
    reading,
    /** How many IDs have been read. Null: none are being read. */
    readCount: reading === null ? null : count,
    start: (what: For) => {
      setCount(0);
      setReading(what);
    },
    stop,
  };
};
