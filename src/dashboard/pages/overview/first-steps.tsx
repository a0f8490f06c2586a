import { useMay } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';

/** On the first day: the one next step. */
export const FirstSteps = ({ className }: { className: string }) => {
  const mayWrite = useMay('devices:write');
  return (
    <section aria-label="First steps" className={`rounded-md border border-hairline bg-surface ${className}`}>
      <EmptyState
        title="No device has reported yet"
        action={
          mayWrite && (
            <LinkButton look="primary" to={withQuery(paths.devices, { register: 'new' })}>
              Register a device
            </LinkButton>
          )
        }
      >
        Register the first one here. A device that sends before it is registered is registered at its first
        message.
      </EmptyState>
    </section>
  );
};
