import type { Server } from 'node:net';
import type { Logger } from 'pino';

const LOG_EVERY_MS = 60_000;

/**
 * Logs connections that a listening server could not accept, for example because of too many open files: one a minute,
 * since clients repeat them. The server accepts others. Without a listener, Node would end the process.
 */
export const logAcceptErrors = (server: Server, log: Logger, protocol: 'HTTP' | 'MQTT' | 'metrics'): void => {
  let loggedAt = -Infinity;
  server.on('error', (error) => {
    if (!server.listening || performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.error({ err: error, protocol }, 'could not accept a connection');
  });
};
