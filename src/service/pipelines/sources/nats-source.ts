import { keepConnected } from '../connections/keep-connected.ts';
import { source } from './source.ts';
import { subjectFilter } from './subject-filter.ts';

export const natsSource = source({
  type: 'nats',
  kind: 'pushed',
  label: 'NATS JetStream',
  description: 'Receives messages of a stream.',
  topics: { field: 'subject', filter: subjectFilter },
  open: (context) =>
    keepConnected(context, async (signal, onUp) => {
      const { consumeNatsMessages } = await import('./consume-nats-messages.ts');
      await consumeNatsMessages(context, signal, onUp);
    }),
});
