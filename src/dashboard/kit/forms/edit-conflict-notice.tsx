import { useEffect, useRef, useState } from 'react';
import { useWatch, type FieldValues } from 'react-hook-form';
import { capitalize } from '#contract/capitalize.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import type { FieldValue } from './edited-fields.ts';
import type { EditedForm } from './use-edited-form.ts';

/** The button that brings a deleted item back, and what it does. */
export type Recovery = { label: string; run: () => Promise<void> };

type Props = { edited: EditedForm<FieldValues>; recovery: Recovery };

const NOTHING = 'Nothing';

/** Says who changed or deleted the item during the edit, and offers both versions of each changed field. */
export const EditConflictNotice = ({ edited, recovery }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { conflict, kind, fields, form, choose, chosen, isOpen } = edited;
  useWatch({ control: form.control });
  const root = useRef<HTMLElement>(null);
  const isAsked = conflict?.isAsked === true;
  useEffect(() => {
    if (!isAsked) return;
    root.current?.scrollIntoView({ block: 'nearest' });
    const open = root.current?.querySelector<HTMLElement>('fieldset[aria-describedby] input');
    (open ?? root.current)?.focus();
  }, [isAsked]);
  if (conflict === null) return null;
  const { what, by, differences } = conflict;

  const textOf = (key: string, value: FieldValue | undefined) =>
    value === undefined ? NOTHING : fields.textOf(key, value);
  const isLeft = differences.some(isOpen);
  const keys = differences.map(({ key }) => key);
  const subject = `this ${kind}`;
  const said = by === null ? `This ${kind} was ${what} elsewhere` : `${by.name} ${what} ${subject}`;
  return (
    <section
      ref={root}
      tabIndex={-1}
      aria-label={`${capitalize(what)} elsewhere`}
      className={cx(
        'flex flex-col gap-4 rounded-md p-3 focus-visible:outline-2 focus-visible:outline-accent',
        what === 'deleted' ? 'bg-bad-soft' : 'bg-attention-soft',
      )}
    >
      <div>
        <p className="font-medium">
          <span role="alert">{what === 'restored' ? `${said}.` : `${said} while you edited it.`}</span>{' '}
          {by !== null && <RelativeTime at={by.at} className="text-sm font-normal text-muted" />}
        </p>
        <p>
          {what === 'deleted'
            ? 'Your changes are kept.'
            : isLeft
              ? 'Your changes are kept. Choose a version of each field, then save.'
              : 'Your changes are kept. Review them, then save.'}
        </p>
      </div>
      {what === 'deleted' ? (
        <RecoverDeleted edited={edited} recovery={recovery} />
      ) : (
        differences.length > 0 && (
          <>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => choose(keys, 'mine')}>Keep all mine</Button>
              <Button onClick={() => choose(keys, 'theirs')}>Use all theirs</Button>
            </div>
            {differences.map((difference) => (
              <RadioCards
                key={difference.key}
                label={fields.labelOf(difference.key)}
                cards={(['mine', 'theirs'] as const).map((side) => ({
                  value: side,
                  label: side === 'mine' ? 'Mine' : 'Theirs',
                  detail: (
                    <span className="line-clamp-6 wrap-anywhere whitespace-pre-wrap">
                      {textOf(difference.key, difference[side])}
                    </span>
                  ),
                }))}
                value={chosen(difference)}
                onChange={(side) => choose([difference.key], side)}
                error={isAsked && isOpen(difference) ? 'Choose a version.' : undefined}
              />
            ))}
          </>
        )
      )}
    </section>
  );
};

/** What can be done about a deleted item. */
const RecoverDeleted = ({ edited: { form, fields }, recovery }: Props) => {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const typed = Object.entries(fields.versionOf(form.getValues()))
    .map(([key, value]) => `${fields.labelOf(key)}: ${fields.textOf(key, value)}`)
    .join('\n');
  const recover = async () => {
    setIsBusy(true);
    setProblem(null);
    try {
      await recovery.run();
    } catch (error) {
      setProblem(describeFailedChange(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button busy={isBusy} onClick={() => void recover()}>
          {recovery.label}
        </Button>
        <CopyButton variant="quiet" label="Copy my changes" text={typed} />
      </div>
      <p aria-live="polite" className="text-bad-text empty:hidden">
        {problem}
      </p>
    </>
  );
};
