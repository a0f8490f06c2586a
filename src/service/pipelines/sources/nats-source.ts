import { keepConnected } from '../connections/keep-connected.ts';
import { source } from './source.ts';
import { subjectFilter } from './subject-filter.ts';

export const natsSource = source({
  type: 'nats',
  kind: 'pushed',
  label: 'NATS JetStream',
  description: 'Receives messages from a JetStream stream and acknowledges them after they are on disk.',
  topics: { field: 'subject', filter: subjectFilter },
  open: (context) =>
    keepConnected(context, async (signal, onUp) => {
      const { consumeNatsMessages } = await import('./consume-nats-messages.ts');
      await consumeNatsMessages(context, signal, onUp);
    }),
});
