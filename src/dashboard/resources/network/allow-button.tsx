import { describeNetwork } from '#contract/networks.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useAllowNetwork } from './network-queries.ts';

type Props = {
  /** The address that would have to be allowed. */
  network: NonNullable<FieldProblem['allow']>;
  onAllowed: () => void;
};

/** Allows an address that the service does not connect to. The error above it says why, and who can allow it. */
export const AllowButton = ({ network, onAllowed }: Props) => {
  const canAllow = useHasScope('network:manage');
  const { mutateAsync } = useAllowNetwork();
  const { confirm, dialog } = useConfirm();
  const name = describeNetwork(network);
  if (!canAllow) return null;
  const ask = () =>
    confirm({
      title: `Allow connections to ${name}?`,
      body: (
        <p>
          All pipelines, destinations and webhooks can then connect to port {network.ports.join(', ')} of{' '}
          {network.network}, including those that other people create. To undo this, remove the network under
          Settings → Network.
        </p>
      ),
      confirmLabel: 'Allow',
      run: () => mutateAsync(network),
      onDone: () => {
        showToast({ title: `Allowed ${name}` });
        onAllowed();
      },
    });
  return (
    <>
      <div>
        <Button onClick={ask}>Allow {name}…</Button>
      </div>
      {dialog}
    </>
  );
};
