import { Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { tagKey } from '#contract/device-filter.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { optionalMark } from '../../ui/controls/field.tsx';
import { FacetInput } from './facet-input.tsx';

/** A pair being edited. It has an ID, since keys change and may repeat while typing. */
export type TagPair = { id: number; key: string; value: string };

let nextId = 0;
const newPair = (key = '', value = ''): TagPair => ({ id: nextId++, key, value });
export const pairsOf = (tags: Record<string, string>): TagPair[] =>
  Object.entries(tags).map(([key, value]) => newPair(key, value));
/** The pairs that have a key; of equal keys the last counts. */
export const tagsOf = (pairs: readonly TagPair[]): Record<string, string> =>
  Object.fromEntries(
    pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value.trim()]),
  );

type Props = {
  /** The name of the group; shown above it. */
  label: string;
  isRequired?: boolean;
  pairs: readonly TagPair[];
  onChange: (pairs: TagPair[]) => void;
  /** Problems by key. */
  errors?: Record<string, string>;
};

/** Edits tags, and suggests the keys and values of other devices. Pairs without a key are left out. */
export const TagEditor = ({ label, isRequired = false, pairs, onChange, errors = {} }: Props) => {
  const group = useRef<HTMLFieldSetElement>(null);
  useKeptFocus(group, pairs.map(({ id }) => id).join(' '));
  const change = (id: number, part: Partial<TagPair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  const add = () => {
    onChange([...pairs, newPair()]);
    // The new pair exists after the next render.
    requestAnimationFrame(() =>
      group.current?.querySelector<HTMLInputElement>('[data-pair]:last-of-type input')?.focus(),
    );
  };
  return (
    <fieldset ref={group} className="min-w-0">
      <legend className="mb-1.5 font-medium">
        {label}
        {!isRequired && optionalMark}
      </legend>
      <div className="flex flex-col gap-2">
        {pairs.map(({ id, key, value }, index) => {
          const error = errors[key.trim()];
          return (
            <div key={id} data-pair className="grid grid-cols-[2fr_3fr_auto] gap-x-2">
              <FacetInput
                by="tag"
                aria-label={`Key ${index + 1}`}
                placeholder="Key"
                value={key}
                aria-invalid={error !== undefined || undefined}
                onChange={(text) => change(id, { key: text })}
              />
              <FacetInput
                by={tagKey.safeParse(key.trim()).success ? `tag:${key.trim()}` : null}
                aria-label={`Value ${index + 1}`}
                placeholder="Value"
                value={value}
                onChange={(text) => change(id, { value: text })}
                onKeyDown={(event) => {
                  // Enter submits the form, which would leave out a value without a key.
                  if (event.key !== 'Enter' || key.trim() !== '' || value.trim() === '') return;
                  event.preventDefault();
                  event.currentTarget.closest('[data-pair]')?.querySelector('input')?.focus();
                }}
              />
              <IconButton
                label={key === '' ? `Remove pair ${index + 1}` : `Remove ${key}`}
                icon={<X />}
                onClick={() => onChange(pairs.filter((pair) => pair.id !== id))}
              />
              {error !== undefined && (
                <p role="alert" className="col-span-3 mt-1 text-sm text-bad-text">
                  {error}
                </p>
              )}
            </div>
          );
        })}
      </div>
      <Button
        variant="quiet"
        icon={<Plus className="size-4" />}
        onClick={add}
        className="mt-1 -ml-2 px-2 text-accent"
      >
        Add tag
      </Button>
    </fieldset>
  );
};
