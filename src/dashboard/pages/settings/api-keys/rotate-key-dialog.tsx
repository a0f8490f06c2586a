import { useRef, useState } from 'react';
import type { ApiKey } from '#contract/api-keys.ts';
import { describeError } from '../../../api/api-error.ts';
import { useRotateApiKey } from '../../../api/api-key-queries.ts';
import { useClock } from '../../../ui/clock.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormNotice } from '../../../ui/form-notice.tsx';
import { timeZoneChoice } from '../../../ui/format-time.ts';
import { RadioCards } from '../../../ui/radio-cards.tsx';
import type { KeyActProps } from './key-act.ts';
import { untilText } from '../../../ui/until-text.ts';
import { useKeySecret } from './use-key-secret.tsx';
import { useStoredChoice } from '../../../ui/stored-choice.ts';

const FORM = 'rotate-key';
const MINUTE_MS = 60_000;

const overlaps = [
  { value: '0', label: 'None', detail: 'The old secret stops at once: for one that has leaked.' },
  { value: '3600', label: '1 hour', detail: 'For one place that you change now.' },
  { value: '86400', label: '1 day', detail: 'For a few places that you change today.' },
  { value: '604800', label: '7 days', detail: 'For devices that are reached one after another.' },
  { value: '2592000', label: '30 days', detail: 'For devices that are seldom reached.' },
] as const;
type Overlap = (typeof overlaps)[number]['value'];

/** Gives a key a new secret; in the place of the question comes the secret. */
export const RotateKeyDialog = ({ apiKey, isThisSession, isOpen, onClose, onClosed }: KeyActProps) => {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const rotate = useRotateApiKey();
  const secret = useKeySecret(onClose);
  const chosen = useRef<HTMLElement>(null);
  const isMinted = secret.made !== null;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={isMinted ? `New secret of ${apiKey.name}` : `Rotate ${apiKey.name}`}
      {...(!isMinted && {
        description: 'A new secret under the same name, with the same scopes and devices.',
      })}
      initialFocus={chosen}
      footer={
        isMinted ? (
          secret.footer
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={rotate.isPending}>
              Rotate
            </Button>
          </>
        )
      }
    >
      {isMinted ? (
        secret.body
      ) : (
        <form
          id={FORM}
          ref={(form) => {
            chosen.current = form?.querySelector<HTMLElement>('input:checked') ?? null;
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (rotate.isPending) return;
            rotate.mutate({ id: apiKey.id, overlapSeconds: Number(overlap) }, { onSuccess: secret.hold });
          }}
          className="flex flex-col gap-4"
        >
          {rotate.isError && <FormNotice tone="bad">{describeError(rotate.error).detail}</FormNotice>}
          <RadioCards
            label="How long the old secret still works"
            columns={1}
            value={overlap}
            onChange={setOverlap}
            cards={overlaps}
          />
          <OldSecretEnds apiKey={apiKey} overlapMs={Number(overlap) * 1_000} isThisSession={isThisSession} />
        </form>
      )}
    </Dialog>
  );
};

type EndProps = { apiKey: ApiKey; overlapMs: number; isThisSession: boolean };

const OldSecretEnds = ({ apiKey, overlapMs, isThisSession }: EndProps) => {
  const zone = useStoredChoice(timeZoneChoice);
  // To the minute: the text should not change each second.
  const end = useClock((nowMs) => Math.floor((nowMs + overlapMs) / MINUTE_MS) * MINUTE_MS);
  const ownEnd = apiKey.expiresAt === null ? Infinity : Date.parse(apiKey.expiresAt);
  return (
    <p className="text-muted">
      {overlapMs === 0
        ? 'Whatever uses the old secret is refused from its next request on.'
        : `The old secret works until ${untilText(Math.min(end, ownEnd), zone)}${ownEnd < end ? ', when it expires anyway' : ''}.`}
      {isThisSession &&
        (overlapMs === 0
          ? ' You are signed in with this key: this session ends at once, and you need the new secret to go on.'
          : ' You are signed in with this key: this session ends with the old secret.')}
    </p>
  );
};
