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

/** What the form was filled from: a change made by others since then must not be overwritten unseen. */
type Base<Item> = { item?: Item | undefined; etag?: string | undefined };

/** What others did while the form was open. */
export type EditConflict = {
  what: 'updated' | 'deleted' | 'restored';
  /** Null where nobody can say. */
  by: { name: string; at: string } | null;
  differences: readonly Difference[];
  /** A save was tried: what is left to choose is asked for. */
  isAsked: boolean;
};

type Options<Item, In extends FieldValues> = {
  schema: z.ZodType<In, In>;
  /** Under which what is typed is kept. */
  draft: string;
  /** What stands, as far as this tab knows; undefined: a new one is made. */
  item: Item | undefined;
  /** What came of the last try to read it. */
  failure: Error | null;
  /** What it is, as types of events begin. */
  kind: 'device' | 'pipeline' | 'webhook' | 'destination';
  valuesOf: (item: Item | undefined) => In;
  fields: EditedFields<In>;
  etagOf: (id: string) => string | undefined;
  read: (id: string) => Promise<{ body: Item; etag: string | undefined }>;
  /** What of the values a draft may hold, where not all; `from` is what the form was filled from. */
  draftable?: (typed: In, from: In) => In;
  /** Values came into the form from elsewhere. */
  onReplaced?: (values: In) => void;
};

/** Who did it since then and when; null where nobody did, or it may not be known. */
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
 * A form over something that others may change or delete meanwhile: it is told so, keeps what was typed, and offers
 * both versions of each field that they changed. What is typed survives a reload in a draft.
 */
export const useEditedForm = <Item extends Editable, In extends FieldValues>(options: Options<Item, In>) => {
  // The form library changes inside while its identity stays, which the compiler cannot see.
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

  /** Sees what stands now and lays what was typed over it. */
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
    // One that cannot be read now is found when it is saved.
    if (isStale && progress.current === 'open') void checkConflict().catch(() => undefined);
    // eslint-disable-next-line react/exhaustive-deps -- as often as something newer is known of
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
    /** Which of the two the form holds; null: neither, or nobody has chosen. */
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
    /** It was deleted and is there again. */
    checkRestored: () => checkConflict('restored'),
    /** It was deleted: what is saved becomes a new one. */
    createAgain: () => {
      setBase({});
      setConflict(null);
    },
    /** Throws away what was typed. */
    discard: () => {
      deleteDraft(draft);
      form.reset(valuesOf(item));
      onReplaced?.(valuesOf(item));
      setBase(fresh());
      setIsRestored(false);
      setConflict(null);
    },
    /**
     * Runs a save; answers whether it went through. Where others changed or deleted it meanwhile, that is shown
     * instead; anything else is thrown.
     */
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
