import { source } from './source.ts';

export const httpSource = source({
  type: 'http',
  kind: 'pushed',
  acceptsMessages: true,
  label: 'HTTP',
  description: 'Receives messages posted to its URL.',
  isLocal: () => true,
  open: ({ config, submit }) => ({
    receive: (message, origin) => submit({ ...message, device: message.device ?? config.device }, origin),
    close: () => undefined,
  }),
});
