import type { Logger } from 'pino';
import type { Event } from '#contract/events.ts';
import type { SharedEventLog } from './events/shared-event-log.ts';
import type { Pipelines } from './pipelines/runner/pipelines.ts';
import type { LiveBus } from './platform/live-bus.ts';
import type { AllowedNetworks, NetworkPermission } from './platform/outbound/allowed-networks.ts';

/** States of a pipeline that a user sets. The holder of the lease writes the others. */
const SET_STATES: ReadonlySet<unknown> = new Set(['draft', 'paused']);

const isRestart = ({ type, data }: Event): boolean => {
  if (type === 'pipeline.state-changed') return SET_STATES.has(data['from']) || SET_STATES.has(data['to']);
  return type !== 'pipeline.replayed';
};

/** Applies changes that another process has made to what this one keeps in memory. */
export const followOtherProcesses = ({
  events,
  pipelines,
  allowedNetworks,
  live,
  log,
}: {
  events: Pick<SharedEventLog, 'onOthers'>;
  pipelines: Pick<Pipelines, 'apply' | 'destinationChanged'>;
  allowedNetworks: AllowedNetworks;
  live: Pick<LiveBus, 'publish'>;
  log: Logger;
}): void => {
  const apply = async (event: Event): Promise<void> => {
    const { type, subject, actor, data } = event;
    switch (subject.type) {
      case 'pipeline':
        if (isRestart(event)) await pipelines.apply(subject.id);
        return;
      case 'destination':
        // Without an actor, it is the outcome of a delivery.
        if (type !== 'destination.state-changed' || actor !== null)
          await pipelines.destinationChanged(subject.id);
        return;
      case 'network':
        if (type === 'network.deleted') allowedNetworks.delete(subject.id);
        else allowedNetworks.add(subject.id, data as NetworkPermission);
        return;
      case 'api-key':
        if (type === 'api-key.revoked') live.publish('ended', { actorId: subject.id });
        return;
      case 'session':
        if (type === 'session.closed') live.publish('ended', { actorId: subject.id });
        return;
      default:
    }
  };
  events.onOthers((event) => {
    apply(event).catch((error: unknown) =>
      log.error({ err: error, event: event.id }, 'could not apply a change of another process'),
    );
  });
};
