import { useEffect, useRef, useState } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import type * as z from 'zod';
import { eventsApi } from '#contract/events.ts';
import { hasCode } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { deleteDraft, saveDraft, readDraft } from '../../ui/browser/draft.ts';
import { changedOf, useZodForm } from './use-zod-form.ts';
import { isSame, type EditedFields } from './edited-fields.ts';
import type { Difference } from './merge-versions.ts';

type Editable = { id: string; updatedAt: string };

/** The item that the form was filled from. Its ETag keeps the form from overwriting later changes. */
type Base<Item> = { item?: Item | undefined; etag?: string | undefined };

/** A change by others while the form was open. */
export type EditConflict = {
  what: 'updated' | 'deleted' | 'restored';
  /** Null if unknown. */
  by: { name: string; at: string } | null;
  differences: readonly Difference[];
  /** A save was attempted: the form asks for the missing choices. */
  isAsked: boolean;
};

type Options<Item, In extends FieldValues> = {
  schema: z.ZodType<In, In>;
  /** The key under which the draft is stored. */
  draft: string;
  /** The item as last read; undefined: a new item. */
  item: Item | undefined;
  /** The error of the last read, if it failed. */
  failure: Error | null;
  /** The subject type of its events. */
  kind: 'device' | 'pipeline' | 'webhook' | 'destination';
  valuesOf: (item: Item | undefined) => In;
  fields: EditedFields<In>;
  etagOf: (id: string) => string | undefined;
  read: (id: string) => Promise<{ body: Item; etag: string | undefined }>;
  /** The values that a draft may store, for forms with secrets. `from` is what the form was filled from. */
  draftable?: (typed: In, from: In) => In;
  /** Called after values in the form were replaced. */
  onReplaced?: (values: In) => void;
};

/** The actor and the time of the latest such event; null if there is none or it cannot be read. */
const findActor = async (type: string, { id, updatedAt }: Editable): Promise<EditConflict['by']> => {
  const query = { type: [type], subject: id, limit: 1 };
  const events = await call(eventsApi.list, { query }).catch(() => null);
  const [event] = events?.data ?? [];
  return event === undefined || event.actor === null || event.at < updatedAt
    ? null
    : { name: event.actor.name, at: event.at };
};

export type EditedForm<In extends FieldValues> = ReturnType<typeof useEditedForm<Editable, In>>;

/**
 * A form for an item that others may change or delete during the edit. It reports the conflict, keeps the edits, and
 * offers both versions of each changed field. A draft keeps the edits through a reload.
 */
export const useEditedForm = <Item extends Editable, In extends FieldValues>(options: Options<Item, In>) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { schema, draft, item, failure, kind, valuesOf, fields, etagOf, read, draftable, onReplaced } =
    options;
  const fresh = (): Base<Item> => ({ item, etag: item && etagOf(item.id) });
  const [base, setBase] = useState(() => readDraft<unknown, Base<Item>>(draft)?.base ?? fresh());
  const { form, initial, hasDraft } = useZodForm<In, In>(schema, {
    values: valuesOf(base.item),
    draft,
    base,
    ...(draftable !== undefined && { draftable }),
  });
  const [isRestored, setIsRestored] = useState(hasDraft);
  const [conflict, setConflict] = useState<EditConflict | null>(null);
  const progress = useRef<'open' | 'saving' | 'saved'>('open');
  const checking = useRef<Promise<void>>(undefined);
  const current = useRef({ base, conflict });
  current.current = { base, conflict };

  const replace = (values: In) => {
    const typed = form.getValues();
    for (const [name, value] of Object.entries(changedOf(typed, values)))
      form.setValue(name as FieldPath<In>, value as never, { shouldDirty: true });
    onReplaced?.(values);
  };

  const rebase = (next: Base<Item>, values: In) => {
    setBase(next);
    replace(values);
    const from = valuesOf(next.item);
    saveDraft(draft, { typed: changedOf(from, draftable?.(values, from) ?? values), base: next });
  };

  /** Reads the current item and merges the edits into it. */
  const readCurrent = async (known: Item, what: 'updated' | 'restored'): Promise<void> => {
    const [now, { mergeVersions }] = await Promise.all([read(known.id), import('./merge-versions.ts')]);
    const by = await findActor(`${kind}.${what}`, known);
    const before = current.current;
    if (now.etag === before.base.etag || progress.current === 'saved') return;
    const typed = form.getValues();
    const { differences, merged } = mergeVersions({
      base: fields.versionOf(valuesOf(before.base.item)),
      typed: fields.versionOf(typed),
      theirs: fields.versionOf(valuesOf(now.body)),
      before: before.conflict?.differences ?? [],
    });
    rebase(
      { item: now.body, etag: now.etag },
      merged.reduce((values, { key, value }) => fields.put(values, key, value), typed),
    );
    setConflict({ what, by, differences, isAsked: false });
  };

  const checkConflict = (what: 'updated' | 'restored' = 'updated'): Promise<void> => {
    const known = current.current.base.item;
    if (known === undefined) return Promise.resolve();
    const onMissing = async (error: unknown) => {
      if (!hasCode(error, 'not-found')) throw error;
      const by = await findActor(`${kind}.deleted`, known);
      setConflict({ what: 'deleted', by, differences: [], isAsked: false });
    };
    return (checking.current ??= readCurrent(known, what)
      .catch(onMissing)
      .finally(() => (checking.current = undefined)));
  };

  const isStale =
    base.item !== undefined &&
    conflict?.what !== 'deleted' &&
    ((item !== undefined && item.updatedAt > base.item.updatedAt) || hasCode(failure, 'not-found'));
  useEffect(() => {
    // If the read fails now, the save detects the conflict.
    if (isStale && progress.current === 'open') void checkConflict().catch(() => undefined);
    // oxlint-disable-next-line react/exhaustive-deps -- runs for each newer version of the item
  }, [isStale, item?.updatedAt]);

  const valueOf = (key: string): unknown => fields.versionOf(form.getValues())[key];
  const isOpen = ({ key, mine, isSettled }: Difference) => !isSettled && isSame(valueOf(key), mine);

  return {
    form,
    initial,
    base,
    fields,
    kind,
    isRestored,
    conflict,
    isOpen,
    /** The version that the form contains; null: neither, or not chosen yet. */
    chosen: (difference: Difference): 'mine' | 'theirs' | null => {
      const value = valueOf(difference.key);
      if (isOpen(difference)) return null;
      return isSame(value, difference.theirs) ? 'theirs' : isSame(value, difference.mine) ? 'mine' : null;
    },
    choose: (keys: readonly string[], side: 'mine' | 'theirs') => {
      if (conflict === null) return;
      let values = form.getValues();
      const differences = conflict.differences.map((difference) => {
        if (!keys.includes(difference.key)) return difference;
        values = fields.put(values, difference.key, difference[side]);
        return { ...difference, isSettled: true };
      });
      rebase(base, values);
      setConflict({ ...conflict, differences });
    },
    /** To be called after the deleted item was restored. */
    checkRestored: () => checkConflict('restored'),
    /** Makes the next save create a new item, after the item was deleted. */
    createAgain: () => {
      setBase({});
      setConflict(null);
    },
    /** Discards the edits. */
    discard: () => {
      deleteDraft(draft);
      form.reset(valuesOf(item));
      onReplaced?.(valuesOf(item));
      setBase(fresh());
      setIsRestored(false);
      setConflict(null);
    },
    /** Runs a save and returns whether it succeeded. A conflict is shown instead; any other error is thrown. */
    save: async (work: (base: Base<Item>) => Promise<void>): Promise<boolean> => {
      await checking.current?.catch(() => undefined);
      const now = current.current;
      if (now.conflict?.differences.some(isOpen) === true) {
        setConflict({ ...now.conflict, isAsked: true });
        return false;
      }
      progress.current = 'saving';
      try {
        await work(now.base);
        progress.current = 'saved';
        deleteDraft(draft);
        return true;
      } catch (error) {
        progress.current = 'open';
        if (!hasCode(error, 'precondition-failed', 'not-found') || now.base.item === undefined) throw error;
        await checkConflict();
        setConflict((known) => known && { ...known, isAsked: true });
        return false;
      }
    },
  };
};
