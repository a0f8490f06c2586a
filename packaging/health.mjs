// The health check of the image: exits with 0 if the service answers.
const { PORT, TLS_CERT } = process.env;
const { get } = await import(TLS_CERT ? 'node:https' : 'node:http');

// No certificate is valid for the loopback address.
get(
  { host: '127.0.0.1', port: PORT || 8080, path: '/v1/health/live', rejectUnauthorized: false },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
).on('error', () => process.exit(1));
