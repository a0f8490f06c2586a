import { source } from './source.ts';

export const httpSource = source({
  type: 'http',
  kind: 'pushed',
  label: 'HTTP',
  description: 'Messages that webhooks and gateways POST to this pipeline’s own address.',
  open: ({ config, take }) => ({
    receive: (message, origin) => take({ ...message, device: message.device ?? config.device }, origin),
    close: () => undefined,
  }),
});
