import { PlugZap } from 'lucide-react';
import { useRef } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { describeError } from '../../api/api-error.ts';
import { TestOutcome, TestWait } from '../../kit/test-outcome.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import type { DestinationTest } from './use-destination-acts.tsx';

type Props = { destination: Destination; test: DestinationTest };

const TAKES_S = 15;

/** Really connects to a destination, and says what came of it. */
export const TryDestination = ({ destination: { id, state }, test }: Props) => {
  const button = useRef<HTMLButtonElement>(null);
  const isOurs = test.testedId === id;
  return (
    <section aria-label="Test" className="flex flex-col items-start gap-3">
      <div>
        <h3 className="mb-1 font-medium">Test</h3>
        <p className="text-muted">
          Connects to the destination and checks that it accepts samples. Sends none.
          {state === 'failed' && ' If the test passes, delivery resumes immediately.'}
        </p>
      </div>
      <Button
        ref={button}
        icon={<PlugZap aria-hidden className="size-4" />}
        busy={isOurs && test.isPending}
        onClick={() => test.start(id)}
      >
        Test
      </Button>
      {isOurs && (
        <div className="w-full empty:hidden">
          {test.isPending && (
            <TestWait
              mostS={TAKES_S}
              onCancel={() => {
                test.stop();
                button.current?.focus();
              }}
            >
              Connecting to the destination
            </TestWait>
          )}
          {test.error !== null && <FormNotice tone="bad">{describeError(test.error).detail}</FormNotice>}
          {test.data !== undefined && <TestOutcome test={test.data} steps={['destination']} />}
        </div>
      )}
    </section>
  );
};
