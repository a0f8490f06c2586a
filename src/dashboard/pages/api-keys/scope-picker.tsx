import { useState } from 'react';
import { scopes as allScopes, type Scope } from '#contract/scope.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { mintable, presetOf, presets, scopeSentences, type PresetName } from './scope-presets.ts';

type Props = {
  value: readonly Scope[];
  onChange: (scopes: Scope[]) => void;
  /** The scopes of the session, which limit the scopes of the key. */
  held: readonly Scope[];
  /** A key limited to devices can have only device scopes. */
  isLimited: boolean;
  error: string | undefined;
};

/** Chooses the scopes of a key: a preset, or each scope. */
export const ScopePicker = ({ value, onChange, held, isLimited, error }: Props) => {
  const allowed = mintable(held, isLimited);
  const preset = presetOf(value, allowed);
  const [isOneByOne, setIsOneByOne] = useState(preset === null);
  const choose = (name: PresetName | 'one-by-one') => {
    setIsOneByOne(name === 'one-by-one');
    const chosen = presets.find((each) => each.name === name);
    if (chosen !== undefined) onChange(chosen.scopes.filter((scope) => allowed.includes(scope)));
  };
  return (
    <div className="flex flex-col gap-3">
      <RadioCards
        label="Scopes"
        columns={1}
        value={isOneByOne || preset === null ? 'one-by-one' : preset}
        onChange={choose}
        error={isOneByOne ? undefined : error}
        cards={[
          ...presets.map(({ name, label, detail, limitedDetail, scopes }) => ({
            value: name,
            label,
            detail: isLimited ? limitedDetail : detail,
            disabled: !scopes.some((scope) => allowed.includes(scope)),
          })),
          { value: 'one-by-one' as const, label: 'Custom', detail: 'Choose each scope.' },
        ]}
      />
      {(isOneByOne || preset === null) && (
        <fieldset className="flex flex-col gap-3 rounded-md border border-hairline p-3">
          <legend className="sr-only">Custom scopes</legend>
          {allScopes.map((scope) => (
            <Checkbox
              key={scope}
              label={<span className="font-mono text-sm">{scope}</span>}
              help={
                allowed.includes(scope)
                  ? scopeSentences[scope]
                  : held.includes(scope)
                    ? 'Not available for a key limited to devices.'
                    : 'Your own key lacks this scope.'
              }
              disabled={!allowed.includes(scope)}
              checked={value.includes(scope)}
              onChange={(event) =>
                onChange(
                  allScopes.filter((other) =>
                    other === scope ? event.target.checked : value.includes(other),
                  ),
                )
              }
            />
          ))}
          <p aria-live="polite" className="text-sm text-bad-text empty:hidden">
            {error}
          </p>
        </fieldset>
      )}
    </div>
  );
};
