import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { devicesApi } from '#contract/devices.ts';
import { parseTag, tagSchema } from '#contract/tag.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { plural } from '../../ui/format/format-number.ts';

/** The maximum number of values in one response. */
const MAX_FACETS = 200;

/** Null: unknown, because one response cannot list all keys with this prefix. */
const countTagged = async (tag: string, signal: AbortSignal): Promise<number | null> => {
  const { key, value } = parseTag(tag);
  if (value !== undefined)
    return (await call(devicesApi.list, { query: { tag: [tag], limit: 1, total: true }, signal })).total ?? 0;
  const keys = await call(devicesApi.facets, {
    query: { by: 'tag', prefix: key, limit: MAX_FACETS },
    signal,
  });
  const isComplete = keys.data.length < MAX_FACETS;
  return keys.data.find((facet) => facet.value === key)?.total ?? (isComplete ? 0 : null);
};

/** The number of devices that have a tag: `key` or `key:value`. */
const taggedCountQuery = (tag: string) =>
  queryOptions({
    queryKey: [...queryKeys.devices, 'tagged', tag],
    queryFn: ({ signal }) => countTagged(tag, signal),
  });

type Props = {
  field: UseFormRegisterReturn;
  /** The typed tag. */
  value: string;
  error: string | undefined;
};

const TYPING_MS = 300;

/** The tag that limits the devices of a webhook, with the number of devices that have it. */
export const TagField = ({ field, value, error }: Props) => {
  const tag = useDebounced(value.trim(), TYPING_MS);
  const canRead = useHasScope('devices:read');
  const { data: count } = useQuery({
    ...taggedCountQuery(tag),
    enabled: canRead && tagSchema.safeParse(tag).success,
  });
  // While a tag is typed, the count is of an earlier one.
  const isCounted = typeof count === 'number' && tag === value.trim();
  return (
    <Field
      label="Only devices with tag"
      optional
      error={error}
      help={
        <>
          A tag such as <Code>site</Code> (any value) or <Code>site:north</Code>. The tag limits only device
          events. Penstock always sends other events.{' '}
          <span aria-live="polite">
            {isCounted && <strong className="font-medium">{describeCount(count)}</strong>}
          </span>
        </>
      }
    >
      <TextInput {...field} autoCapitalize="none" spellCheck={false} className="font-mono text-sm" />
    </Field>
  );
};

const describeCount = (count: number): string =>
  count === 0
    ? 'No device has this tag.'
    : `${plural(count, 'device')} ${count === 1 ? 'has' : 'have'} this tag.`;

const Code = ({ children }: { children: string }) => <code className="font-mono text-sm">{children}</code>;
