import { describeNetwork } from '#contract/networks.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useAllowNetwork } from './network-queries.ts';

type Props = {
  /** The address that would have to be allowed. */
  network: NonNullable<FieldProblem['allow']>;
  onAllowed: () => void;
};

/** Offers to allow an address that the service does not connect to, or says who can. */
export const AllowNotice = ({ network, onAllowed }: Props) => {
  const canAllow = useHasScope('network:manage');
  const { mutateAsync } = useAllowNetwork();
  const { confirm, dialog } = useConfirm();
  const name = describeNetwork(network);
  if (!canAllow)
    return (
      <FormNotice tone="idle">
        You need network:manage to allow {name}. Ask an administrator to allow it under Settings → Network.
      </FormNotice>
    );
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
      <FormNotice tone="idle" action={<Button onClick={ask}>Allow {name}…</Button>}>
        Penstock does not connect to {name} until it is allowed.
      </FormNotice>
      {dialog}
    </>
  );
};
