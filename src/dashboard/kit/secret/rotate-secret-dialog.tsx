import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { Dialog, type DialogState } from '../../ui/overlays/dialog.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { timeZoneChoice, untilText } from '../../ui/format/format-time.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import type { SecretOnce } from './use-secret-once.tsx';

const FORM = 'rotate-secret';
const MINUTE_MS = 60_000;
const DAY_S = '86400';

/** When the old secret expires, if the rotation starts now. */
type OldSecretEnd = { isAtOnce: boolean; atMs: number; text: (atMs: number) => string };

export type RotationWords = {
  title: string;
  /** The title after the rotation. */
  createdTitle: string;
  description?: string;
  /** How long the old secret stays valid, in seconds. One day is the default. */
  overlapLabel: string;
  overlaps: readonly { value: string; label: string; detail: string }[];
  /** What the chosen overlap means. */
  consequence: (end: OldSecretEnd) => string;
  action: string;
};

type Props<T> = {
  state: DialogState;
  words: RotationWords;
  secret: SecretOnce & { show: (item: T) => void };
  rotate: (overlapSeconds: number) => Promise<T>;
};

/** Asks how long the old secret stays valid, and then shows the new one. */
export const RotateSecretDialog = <T,>({ state, words, secret, rotate }: Props<T>) => {
  const [overlap, setOverlap] = useState(DAY_S);
  // The response contains a secret, so it is not cached.
  const { mutate, isPending, error } = useMutation({ mutationFn: rotate, gcTime: 0 });
  const chosen = useRef<HTMLElement>(null);
  const isCreated = secret.item !== null;
  return (
    <Dialog
      state={{ ...state, onClose: secret.requestClose }}
      title={isCreated ? words.createdTitle : words.title}
      {...(!isCreated && words.description !== undefined && { description: words.description })}
      initialFocus={chosen}
      footer={
        isCreated ? (
          secret.footer
        ) : (
          <>
            <Button onClick={state.onClose}>Cancel</Button>
            <Button type="submit" form={FORM} variant="primary" busy={isPending}>
              {words.action}
            </Button>
          </>
        )
      }
    >
      {isCreated ? (
        secret.body
      ) : (
        <form
          id={FORM}
          ref={(form) => {
            chosen.current = form?.querySelector<HTMLElement>('input:checked') ?? null;
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) mutate(Number(overlap), { onSuccess: (item) => secret.show(item) });
          }}
          className="flex flex-col gap-4"
        >
          {error !== null && <FormNotice tone="bad">{describeFailedChange(error)}</FormNotice>}
          <RadioCards
            label={words.overlapLabel}
            columns={1}
            value={overlap}
            onChange={setOverlap}
            cards={words.overlaps}
          />
          <Consequence overlapMs={Number(overlap) * 1_000} describe={words.consequence} />
        </form>
      )}
    </Dialog>
  );
};

const Consequence = ({
  overlapMs,
  describe,
}: {
  overlapMs: number;
  describe: RotationWords['consequence'];
}) => {
  const zone = useStoredChoice(timeZoneChoice);
  // To the minute: the text should not change each second.
  const atMs = useClock((nowMs) => Math.floor((nowMs + overlapMs) / MINUTE_MS) * MINUTE_MS);
  return (
    <p className="text-muted">
      {describe({ isAtOnce: overlapMs === 0, atMs, text: (endMs) => untilText(endMs, zone) })}
    </p>
  );
};
