import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeviceFacets } from '#contract/devices.ts';
import { describeError } from '../../api/api-error.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { tagValueLabel } from './tag-list.tsx';
import { facetQuery, incompleteCounts, type FacetQuery } from './facet-queries.ts';

type Props = {
  label: string;
  /** The property and the filters under which its values are counted. */
  query: Omit<FacetQuery, 'prefix'>;
  /** The chosen value; null for none. */
  value: string | null;
  placeholder: string;
  emptyText: string;
  /** Why no more values can be chosen. */
  fullText?: string | undefined;
  onChoose: (value: string | null) => void;
};

/** The pause in typing after which values are searched. */
export const TYPING_MS = 150;

export const facetOptions = (facets: DeviceFacets | undefined) =>
  (facets?.data ?? []).map(({ value, total }) => ({
    value,
    label: tagValueLabel(value),
    detail: <span className="tabular">{formatCount(total)}</span>,
  }));

/** Chooses one value of a property of devices, suggested while typing, with the number of devices that have it. */
export const FacetCombobox = ({ label, query, value, placeholder, emptyText, fullText, onChoose }: Props) => {
  const [typed, setTyped] = useState('');
  // The field shows the chosen value, which is not a search.
  const text = typed === value ? '' : typed.trim();
  const prefix = useDebounced(text, TYPING_MS);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...facetQuery({ ...query, ...(prefix !== '' && { prefix }) }),
    // Counts that change while one chooses would move the options.
    refetchInterval: false,
  });
  const options = facetOptions(data);
  return (
    <Field
      label={label}
      error={error === null ? undefined : describeError(error).detail}
      help={fullText ?? (data === undefined ? undefined : describeCut(data, options.length))}
    >
      <Combobox
        options={options}
        value={value === null ? null : { value, label: value }}
        onChange={(option) => onChoose(option?.value ?? null)}
        onSearch={setTyped}
        isLoading={isPending || isPlaceholderData || prefix !== text}
        placeholder={placeholder}
        emptyText={emptyText}
        disabled={fullText !== undefined}
      />
    </Field>
  );
};

/** What the options leave out. */
const describeCut = ({ total, isComplete }: { total: number; isComplete: boolean }, shown: number) => {
  const cut = total > shown ? `The first ${shown} of ${plural(total, 'value')}. Type to find others.` : '';
  const counted = isComplete ? '' : incompleteCounts;
  return [cut, counted].filter(Boolean).join(' ') || undefined;
};
