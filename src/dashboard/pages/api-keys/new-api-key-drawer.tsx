import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '../../api/session-queries.ts';
import { DrawerForm, NameField, useDrawerSubmit } from '../../kit/resource/drawer-form.tsx';
import { FormDrawer, type FormSlot } from '../../kit/resource/form-drawer.tsx';
import { useKeySecret } from './key-secret.tsx';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { newApiKeySchema, type ApiKey, type MintedKey, type NewApiKey } from '#contract/api-keys.ts';
import { isId } from '#contract/id.ts';
import type { Scope } from '#contract/scope.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { apiKeyQueries, useCreateApiKey } from '../../resources/access/api-key-queries.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { deleteDraft } from '../../ui/browser/draft.ts';
import { placeFieldErrors, useZodForm } from '../../kit/forms/use-zod-form.ts';
import { DeviceLimit } from './device-limit.tsx';
import {
  ExpiryPicker,
  inDays,
  defaultChoice,
  defaultExpiry,
  type ExpiryChoice,
  type ExpiryLimit,
} from '../../resources/access/expiry-picker.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { mintable, presetOf, presets } from './scope-presets.ts';

type Props = { isOpen: boolean; onClose: () => void; onClosed: () => void };

/** Creates a key and then shows its secret. */
export const NewApiKeyDrawer = (drawer: Props) => {
  const who = useQuery(sessionQueries.who());
  const asked = useQueryParams()[0].get('create') ?? '';
  const replaced = useQuery({ ...apiKeyQueries.detail(asked), enabled: isId('key', asked) });
  const secret = useKeySecret(drawer.onClose);
  return (
    <FormDrawer
      drawer={drawer}
      words={{ title: 'Create API key', submit: 'Create key' }}
      scope="api-keys:manage"
      reads={isId('key', asked) ? [who, replaced] : [who]}
      secret={secret}
    >
      {(slot) =>
        who.data !== undefined && (
          <NewApiKeyForm
            slot={slot}
            replaced={replaced.data}
            held={who.data.scopes}
            limit={who.data.keysExpireBy === null ? null : Date.parse(who.data.keysExpireBy)}
            onCreated={secret.show}
          />
        )
      }
    </FormDrawer>
  );
};

type NewApiKeyFormProps = {
  slot: FormSlot;
  /** The key that the new one replaces. */
  replaced: ApiKey | undefined;
  /** The scopes of the session, which limit the scopes of the key. */
  held: readonly Scope[];
  /** When the key of the session expires. */
  limit: ExpiryLimit;
  onCreated: (key: MintedKey) => void;
};

const DRAFT = 'api-key.new';

type Start = Pick<NewApiKeyFormProps, 'held' | 'limit' | 'replaced'> & { asked: string | null };

/** `asked`: the preset that the address names. */
const firstValues = ({ held, limit, replaced, asked }: Start): Required<NewApiKey> => ({
  name: replaced?.name ?? '',
  scopes:
    (
      replaced ??
      presets.find(({ name }) => name === asked) ??
      presets.find(({ name }) => name === 'read')
    )?.scopes.filter((scope) => held.includes(scope)) ?? [],
  devices: replaced?.devices ?? null,
  expiresAt: defaultExpiry(limit, nowMs()),
});

const choiceOf = (expiresAt: string | null | undefined): ExpiryChoice =>
  expiresAt === null ? 'never' : 'date';

const NewApiKeyForm = ({ slot, replaced, held, limit, onCreated }: NewApiKeyFormProps) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const asked = useQueryParams()[0].get('create');
  const [values] = useState(() => firstValues({ held, limit, replaced, asked }));
  // Kept while the drawer closes, when the address names no key any more.
  const [draft] = useState(replaced === undefined ? DRAFT : `${DRAFT}.${replaced.id}`);
  const { form, initial, hasDraft } = useZodForm<NewApiKey, NewApiKey>(newApiKeySchema, {
    values,
    draft,
  });
  const { register, handleSubmit, control, formState, setValue, reset } = form;
  const { errors } = formState;
  const [isRestored, setIsRestored] = useState(hasDraft);
  const [initialChoice] = useState(() => defaultChoice(limit, nowMs()));
  const [choice, setChoice] = useState(
    initial.expiresAt === values.expiresAt ? initialChoice : choiceOf(initial.expiresAt),
  );
  const { submit, clear, notice } = useDrawerSubmit(slot, (found) => placeFieldErrors(form, found));
  const create = useCreateApiKey();
  const [tried, setTried] = useState<{ choice: ExpiryChoice; expiresAt: string }>();
  const { scopes, devices, expiresAt } = { ...initial, ...useWatch({ control }) };

  const set = <K extends keyof NewApiKey>(field: K, value: NewApiKey[K]) =>
    setValue(field as 'scopes', value as NewApiKey['scopes'], {
      shouldDirty: true,
      shouldValidate: formState.isSubmitted,
    });

  const limitDevices = (next: string[] | null) => {
    set('devices', next);
    const [wasAllowed, allowed] = [mintable(held, devices != null), mintable(held, next !== null)];
    const preset = presets.find((each) => each.name === presetOf(scopes, wasAllowed));
    // A preset gets its scopes back when the limit is removed; individually chosen scopes do not.
    set(
      'scopes',
      (preset?.scopes ?? scopes).filter((scope) => allowed.includes(scope)),
    );
  };

  const discard = () => {
    deleteDraft(draft);
    reset(values);
    setChoice(initialChoice);
    setIsRestored(false);
    clear();
  };

  const save = (key: NewApiKey) =>
    submit(async () => {
      // Days count from now, not from when the form was opened, but a retry repeats the request that may have arrived.
      const days = Number(choice);
      const ends =
        tried?.choice === choice ? tried : { choice, expiresAt: inDays(days > 0 ? days : 0, nowMs()) };
      setTried(ends);
      try {
        const minted = await create.mutateAsync({
          ...key,
          ...(days > 0 && { expiresAt: ends.expiresAt }),
        });
        deleteDraft(draft);
        onCreated(minted);
      } catch (error) {
        if (!hasCode(error, 'insufficient-scope')) throw error;
        form.setError('scopes', { type: 'server', message: describeError(error).detail });
      }
    });

  return (
    <DrawerForm slot={slot} onSubmit={handleSubmit(save)}>
      {isRestored && (
        <FormNotice tone="idle" action={<Button onClick={discard}>Discard changes</Button>}>
          Your unsaved changes were restored.
        </FormNotice>
      )}
      {notice}
      <NameField
        slot={slot}
        field={register('name')}
        error={errors.name?.message}
        help="Where you use the key, for example “Gateway 4” or “Night report”."
      />
      <ScopePicker
        value={scopes}
        onChange={(next) => set('scopes', next)}
        held={held}
        isLimited={devices != null}
        error={errors.scopes?.message}
      />
      <DeviceLimit
        value={devices ?? null}
        onChange={limitDevices}
        error={errors.devices?.message ?? errors.devices?.find?.((each) => each !== undefined)?.message}
      />
      <ExpiryPicker
        choice={choice}
        value={expiresAt ?? null}
        limit={limit}
        onChange={(next, value) => {
          setChoice(next);
          set('expiresAt', value);
        }}
        error={errors.expiresAt?.message}
      />
    </DrawerForm>
  );
};
