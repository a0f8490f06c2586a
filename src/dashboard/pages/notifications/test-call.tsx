import { Send } from 'lucide-react';
import type { WebhookTest } from '#contract/webhooks.ts';
import { describeError } from '../../api/api-error.ts';
import type { useTestWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';

type Props = { webhookId: string; test: ReturnType<typeof useTestWebhook> };

/** Calls a webhook once, now, and says what came of it. */
export const TestCall = ({ webhookId, test }: Props) => {
  const isOurs = test.variables === webhookId;
  return (
    <section aria-label="Test" className="flex flex-col items-start gap-3">
      <div>
        <h3 className="mb-1 font-medium">Test</h3>
        <p className="text-muted">
          Sends one signed <code className="font-mono text-sm">webhook.test</code> event, even while the
          webhook is paused. Test deliveries are not counted.
        </p>
      </div>
      <Button
        icon={<Send aria-hidden className="size-4" />}
        busy={isOurs && test.isPending}
        onClick={() => test.mutate(webhookId)}
      >
        Send test event
      </Button>
      {isOurs && test.isError && <FormNotice tone="bad">{describeError(test.error).detail}</FormNotice>}
      <output className="block w-full empty:hidden">
        {isOurs && test.isSuccess && <TestResult result={test.data} />}
      </output>
    </section>
  );
};

const TestResult = ({ result: { ok, status, detail, ms } }: { result: WebhookTest }) => (
  <span
    className={cx('flex items-baseline gap-2.5 rounded-md px-3 py-2.5', ok ? 'bg-good-soft' : 'bg-bad-soft')}
  >
    <Dot tone={ok ? 'good' : 'bad'} />
    <span className="min-w-0 flex-1 break-words">
      <strong className={cx('font-medium', ok ? 'text-good-text' : 'text-bad-text')}>
        {ok ? 'Delivered.' : 'Not delivered.'}
      </strong>{' '}
      {detail}
    </span>
    <span className="tabular shrink-0 text-sm text-muted">
      {status !== null && `${status} · `}
      {formatCount(ms)} ms
    </span>
  </span>
);
