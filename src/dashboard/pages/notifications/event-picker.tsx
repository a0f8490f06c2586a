import type { WebhookEventType } from '#contract/webhook-events.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { webhookGroups, webhookTypes } from './webhook-event-words.ts';

type Props = {
  value: readonly WebhookEventType[];
  onChange: (types: WebhookEventType[]) => void;
  error: string | undefined;
};

/** Chooses the events of a webhook, by group. */
export const EventPicker = ({ value, onChange, error }: Props) => {
  const set = (types: readonly string[], isChosen: boolean) =>
    onChange(webhookTypes.filter((type) => (types.includes(type) ? isChosen : value.includes(type))));
  return (
    <fieldset aria-describedby={error === undefined ? undefined : 'events-error'} className="min-w-0">
      <legend className="mb-1.5 font-medium">Events</legend>
      <div className="flex flex-col divide-y divide-hairline rounded-md border border-hairline">
        {webhookGroups.map(({ group, choices }) => {
          const types = choices.map(({ type }) => type);
          const count = value.filter((type) => types.includes(type)).length;
          return (
            <fieldset key={group} aria-label={group} className="min-w-0 px-3 py-2.5">
              <Checkbox
                label={<span className="font-medium">{group}</span>}
                aria-label={`All events of ${group}`}
                checked={count === types.length}
                indeterminate={count > 0 && count < types.length}
                onChange={(event) => set(types, event.target.checked)}
              />
              <div className="mt-1.5 ml-6.5 grid gap-x-4 gap-y-1 md:grid-cols-2">
                {choices.map(({ type, label }) => (
                  <Checkbox
                    key={type}
                    label={label}
                    name={type}
                    checked={value.includes(type)}
                    onChange={(event) => set([type], event.target.checked)}
                  />
                ))}
              </div>
            </fieldset>
          );
        })}
      </div>
      <p id="events-error" aria-live="polite" className="mt-1.5 text-sm text-bad-text empty:hidden">
        {error}
      </p>
    </fieldset>
  );
};
