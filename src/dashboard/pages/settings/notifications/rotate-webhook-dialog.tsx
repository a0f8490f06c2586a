import { useRef, useState } from 'react';
import { describeError } from '../../../api/api-error.ts';
import { useRotateWebhook } from '../../../api/webhook-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { useClock } from '../../../ui/clock.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormNotice } from '../../../ui/form-notice.tsx';
import { timeZoneChoice } from '../../../ui/format-time.ts';
import { RadioCards } from '../../../ui/radio-cards.tsx';
import { useStoredChoice } from '../../../ui/stored-choice.ts';
import { untilText } from '../../../ui/until-text.ts';
import { useWebhookSecret } from './use-webhook-secret.tsx';
import type { WebhookActProps } from './webhook-act.ts';

const FORM = 'rotate-webhook';
const MINUTE_MS = 60_000;

const overlaps = [
  { value: '0', label: 'Not at all', detail: 'For a secret that has leaked.' },
  { value: '3600', label: '1 hour', detail: 'For a receiver that you change now.' },
  { value: '86400', label: '1 day', detail: 'For a receiver that you change today.' },
  { value: '604800', label: '7 days', detail: 'For a receiver that somebody else changes.' },
] as const;
type Overlap = (typeof overlaps)[number]['value'];

/** Gives a webhook a new secret; in the place of the question comes the secret. */
export const RotateWebhookDialog = ({ webhook, isOpen, onClose, onClosed }: WebhookActProps) => {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const rotate = useRotateWebhook();
  const secret = useWebhookSecret(onClose);
  const chosen = useRef<HTMLElement>(null);
  const isMade = secret.made !== null;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={isMade ? `New secret of ${webhook.name}` : `New secret for ${webhook.name}`}
      initialFocus={chosen}
      footer={
        isMade ? (
          secret.footer
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={rotate.isPending}>
              Make a new secret
            </Button>
          </>
        )
      }
    >
      {isMade ? (
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
            rotate.mutate({ id: webhook.id, overlapSeconds: Number(overlap) }, { onSuccess: secret.hold });
          }}
          className="flex flex-col gap-4"
        >
          {rotate.isError && <FormNotice tone="bad">{describeError(rotate.error).detail}</FormNotice>}
          <RadioCards
            label="How long calls are signed with the old secret as well"
            columns={1}
            value={overlap}
            onChange={setOverlap}
            cards={overlaps}
          />
          <OldSecretEnds overlapMs={Number(overlap) * 1_000} />
        </form>
      )}
    </Dialog>
  );
};

const OldSecretEnds = ({ overlapMs }: { overlapMs: number }) => {
  const zone = useStoredChoice(timeZoneChoice);
  // To the minute: the text should not change each second.
  const end = useClock((nowMs) => Math.floor((nowMs + overlapMs) / MINUTE_MS) * MINUTE_MS);
  return (
    <p className="text-muted">
      {overlapMs === 0
        ? 'A receiver that knows only the old secret refuses the calls from now on; they are tried again.'
        : `Each call carries both signatures until ${untilText(end, zone)}.`}
    </p>
  );
};
