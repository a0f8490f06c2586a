import { setTimeout as delay } from 'node:timers/promises';
import { findFact, inWrite, setFact, type Db } from '../../platform/storage/database.ts';
import { isDiskFull } from '../../platform/storage/disk-full.ts';
import { StorageFull } from '../../platform/storage/store-errors.ts';
import { findPipeline, learnedFactOf } from '../definition/pipeline-store.ts';
import { createSparkplugSessions } from '../formats/sparkplug-sessions.ts';
import {
  createLearned,
  learnedForPreview,
  learnedForReplay,
  learnedKinds,
  type Learned,
  type LearnedEntries,
} from '../formats/learned.ts';

/** Called with each topic outside the filter of a pipeline that discovery names or no longer names. */
type OnTopic = (topic: string, isKnown: boolean) => void;

/** Called with each edge node (`group/node`) of Sparkplug whose birth is missing. */
type OnRebirth = (node: string) => void;

type Entry = {
  readonly scope: string;
  readonly learned: Learned;
  readonly listeners: Set<OnTopic>;
  readonly onRebirth: Set<OnRebirth>;
  isChanged: boolean;
  saving: Promise<void> | undefined;
  /**
   * The time from one write to the next: a sender that keeps changing what a pipeline knows must not occupy the
   * process.
   */
  pauseMs: number;
};

/** The pause after a write, as a multiple of the time for it on the main thread. */
const PAUSE_FACTOR = 20;

export type LearnedRegistry = {
  /**
   * Reads what a pipeline has learned. `scope`: its broker and topics. After a change of them, it starts with nothing.
   */
  load(pipelineId: string, scope: string): Promise<void>;
  /** What a loaded pipeline has learned, to be changed. */
  find(pipelineId: string): Learned | undefined;
  /** What a loaded pipeline has learned, for messages that were received before. */
  findForReplay(pipelineId: string): Learned | undefined;
  /** What a loaded pipeline has learned, for a preview. */
  findForPreview(pipelineId: string): Learned | undefined;
  /** Resolves after everything that the pipeline has learned so far is on disk. @throws StorageFull */
  saved(pipelineId: string): Promise<void>;
  /** Forgets the edge nodes of Sparkplug of a pipeline, and then calls `listener`. Returns a function that ends it. */
  watchRebirths(pipelineId: string, listener: OnRebirth): () => void;
  /** The topics that discovery names, and a function that watches them. */
  topicsOf(pipelineId: string): {
    readonly isEmpty: boolean;
    list(): string[];
    watch(listener: OnTopic): () => void;
  };
  /** Frees the memory of a pipeline that was deleted. */
  delete(pipelineId: string): void;
};

const entriesOf = (learned: Learned): LearnedEntries =>
  Object.fromEntries(
    learnedKinds.map((kind) => [
      kind,
      Object.fromEntries([...learned[kind].keys()].map((key) => [key, learned[kind].get(key)])),
    ]),
  );

const isEmpty = (learned: Learned | undefined): boolean =>
  learned === undefined || learnedKinds.every((kind) => learned[kind].keys().next().done === true);

/** What running pipelines have learned, in memory and on disk. */
export const createLearnedRegistry = (db: Db): LearnedRegistry => {
  const known = new Map<string, Entry>();

  const write = async (pipelineId: string, entry: Entry): Promise<void> => {
    if (!entry.isChanged) return;
    entry.isChanged = false;
    const { scope, learned } = entry;
    const startedMs = performance.now();
    const json = JSON.stringify({ scope, entries: entriesOf(learned) });
    entry.pauseMs = PAUSE_FACTOR * (performance.now() - startedMs);
    try {
      await inWrite(db, async (tx) => {
        // It may have been deleted, with its facts.
        if ((await findPipeline(tx, pipelineId)) === undefined) return;
        await setFact(tx, learnedFactOf(pipelineId), json);
      });
    } catch (error) {
      entry.isChanged = true;
      throw isDiskFull(error)
        ? new StorageFull('The disk has no room for learned names, units and topics.')
        : error;
    }
  };

  return {
    load: async (pipelineId, scope) => {
      if (known.get(pipelineId)?.scope === scope) return;
      const text = await findFact(db, learnedFactOf(pipelineId));
      const stored =
        text === undefined ? undefined : (JSON.parse(text) as { scope: string; entries: LearnedEntries });
      const listeners = new Set<OnTopic>();
      const onRebirth = new Set<OnRebirth>();
      const sparkplug = createSparkplugSessions((node) => {
        for (const listener of onRebirth) listener(node);
      });
      const learned = createLearned((kind, key, isKnown) => {
        entry.isChanged = true;
        if (kind === 'entities') for (const listener of listeners) listener(key, isKnown);
      }, sparkplug);
      const entry: Entry = {
        scope,
        learned,
        listeners,
        onRebirth,
        isChanged: false,
        saving: undefined,
        pauseMs: 0,
      };
      if (stored?.scope === scope)
        for (const kind of learnedKinds)
          for (const [key, value] of Object.entries(stored.entries[kind] ?? {}))
            learned[kind].set(key, value as never);
      entry.isChanged = false;
      known.set(pipelineId, entry);
    },
    find: (pipelineId) => known.get(pipelineId)?.learned,
    findForReplay: (pipelineId) => {
      const learned = known.get(pipelineId)?.learned;
      return learned === undefined ? undefined : learnedForReplay(learned);
    },
    findForPreview: (pipelineId) => {
      const learned = known.get(pipelineId)?.learned;
      return learned === undefined ? undefined : learnedForPreview(learned);
    },
    saved: (pipelineId) => {
      const entry = known.get(pipelineId);
      if (entry === undefined || (!entry.isChanged && entry.saving === undefined)) return Promise.resolve();
      const before = entry.saving ?? Promise.resolve();
      const saving = before
        .catch(() => undefined)
        .then(() => (entry.isChanged ? delay(entry.pauseMs) : undefined))
        .then(() => write(pipelineId, entry));
      entry.saving = saving;
      const finish = () => {
        if (entry.saving === saving) entry.saving = undefined;
      };
      saving.then(finish, finish);
      return saving;
    },
    watchRebirths: (pipelineId, listener) => {
      const entry = known.get(pipelineId);
      entry?.learned.sparkplug.reset();
      entry?.onRebirth.add(listener);
      return () => void entry?.onRebirth.delete(listener);
    },
    topicsOf: (pipelineId) => ({
      isEmpty: isEmpty(known.get(pipelineId)?.learned),
      list: () => [...(known.get(pipelineId)?.learned.entities.keys() ?? [])],
      watch: (listener) => {
        const listeners = known.get(pipelineId)?.listeners;
        listeners?.add(listener);
        return () => void listeners?.delete(listener);
      },
    }),
    delete: (pipelineId) => void known.delete(pipelineId),
  };
};
