import { useQuery } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import { foldCase } from '#contract/fold-case.ts';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { SuggestingInput } from '../../ui/controls/suggesting-input.tsx';
import { facetOptions, TYPING_MS } from './facet-combobox.tsx';
import { facetQuery, type FacetQuery } from './facet-queries.ts';

type Props = Omit<ComponentProps<typeof SuggestingInput>, 'suggestions' | 'isOpen' | 'onOpenChange'> & {
  /** The property whose values are suggested; null: none. */
  by: FacetQuery['by'] | null;
};

/** Any text, with the values that devices already have as suggestions, and the number of devices of each. */
export const FacetInput = ({ by, ...input }: Props) => {
  const [isOpen, setIsOpen] = useState(false);
  const typed = input.value.trim();
  const prefix = useDebounced(typed, TYPING_MS);
  const { data } = useQuery({
    ...facetQuery({ by: by ?? '', ...(prefix !== '' && { prefix }) }),
    enabled: isOpen && by !== null,
    // Counts that change while one chooses would move the options.
    refetchInterval: false,
  });
  // Until the values for the typed text arrive, those of an earlier text that still match.
  const options =
    by === null
      ? []
      : facetOptions(data).filter(({ value }) => value !== '' && foldCase(value).startsWith(foldCase(typed)));
  const isComplete = options.length === 1 && options[0]?.value === typed;
  return (
    <SuggestingInput
      {...input}
      suggestions={isComplete ? [] : options}
      isOpen={isOpen}
      onOpenChange={setIsOpen}
    />
  );
};
