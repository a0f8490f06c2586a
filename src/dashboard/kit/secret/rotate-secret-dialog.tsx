import { useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { untilText } from '../../ui/format/until-text.ts';
import type { useSecretOnce } from './use-secret-once.tsx';

const FORM = 'rotate-secret';
const MINUTE_MS = 60_000;
const DAY_S = '86400';

/** When the old secret ends, if one begins now. */
type OldSecretEnd = { isAtOnce: boolean; atMs: number; text: (atMs: number) => string };

type Props = {
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
  title: string;
  madeTitle: string;
  description?: string;
  /** How long the old secret may live on, in seconds; a day is chosen at first. */
  overlapLabel: string;
  overlaps: readonly { value: string; label: string; detail: string }[];
  /** What the chosen overlap means. */
  consequence: (end: OldSecretEnd) => string;
  action: string;
  isBusy: boolean;
  failure: string | null;
  secret: Pick<ReturnType<typeof useSecretOnce>, 'footer' | 'body' | 'requestClose'> & { isMade: boolean };
  onRotate: (overlapSeconds: number) => void;
};

/** Asks how long an old secret lives on beside a new one; in the place of the question comes the new secret. */
export const RotateSecretDialog = (props: Props) => {
  const { isOpen, onClose, onClosed, title, madeTitle, description, secret, isBusy, failure } = props;
  const [overlap, setOverlap] = useState(DAY_S);
  const chosen = useRef<HTMLElement>(null);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={secret.isMade ? madeTitle : title}
      {...(!secret.isMade && description !== undefined && { description })}
      initialFocus={chosen}
      footer={
        secret.isMade ? (
          secret.footer
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={isBusy}>
              {props.action}
            </Button>
          </>
        )
      }
    >
      {secret.isMade ? (
        secret.body
      ) : (
        <form
          id={FORM}
          ref={(form) => {
            chosen.current = form?.querySelector<HTMLElement>('input:checked') ?? null;
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) props.onRotate(Number(overlap));
          }}
          className="flex flex-col gap-4"
        >
          {failure !== null && <FormNotice tone="bad">{failure}</FormNotice>}
          <RadioCards
            label={props.overlapLabel}
            columns={1}
            value={overlap}
            onChange={setOverlap}
            cards={props.overlaps}
          />
          <Consequence overlapMs={Number(overlap) * 1_000} of={props.consequence} />
        </form>
      )}
    </Dialog>
  );
};

const Consequence = ({ overlapMs, of }: { overlapMs: number; of: Props['consequence'] }) => {
  const zone = useStoredChoice(timeZoneChoice);
  // To the minute: the text should not change each second.
  const atMs = useClock((nowMs) => Math.floor((nowMs + overlapMs) / MINUTE_MS) * MINUTE_MS);
  return (
    <p className="text-muted">
      {of({ isAtOnce: overlapMs === 0, atMs, text: (endMs) => untilText(endMs, zone) })}
    </p>
  );
};
