import { Suspense } from 'react';
import type { FieldProblem } from '#contract/problem.ts';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const AllowButton = lazyPart(async () => (await import('./allow-button.tsx')).AllowButton, LoadFailure);

/** Beside a field with an address that the service does not connect to, if it can be allowed. */
export const AllowOffer = ({
  network,
  onAllowed,
}: {
  network: FieldProblem['allow'];
  onAllowed: () => void;
}) =>
  network !== undefined && (
    <Suspense>
      <AllowButton network={network} onAllowed={onAllowed} />
    </Suspense>
  );
