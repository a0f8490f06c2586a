import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { DiskGuard } from '../../platform/storage/disk-guard.ts';
import { serveConnection, type ConnectionOptions } from './client-connection.ts';
import type { ConnectionHandle } from './client-grant.ts';
import type { Message } from './mqtt-message.ts';
import { REASON } from './reason-codes.ts';
import { openMqttStore } from './mqtt-store.ts';
import { createSessions, usernameOf } from './sessions.ts';
import { createTurns } from './turns.ts';

type Options = {
  dataDir: string;
  disk: Pick<DiskGuard, 'requireWritable' | 'reportError'>;
  log: Logger;
  now: () => number;
  handshakeMs: number;
  reasonCodeOf: ConnectionOptions['reasonCodeOf'];
  /** A message of QoS 1 or 2 was dropped: the client has too many unacknowledged messages. */
  onDropped: (username: string, topic: string) => void;
};

/** The functions that the owner of a connection provides. */
export type ConnectionHooks = Pick<
  ConnectionOptions,
  'authenticate' | 'onTooLarge' | 'onUnsupportedVersion' | 'onClosed'
>;

/**
 * The protocol of an MQTT broker: 3.1, 3.1.1 and 5. Keeps sessions and retained messages. `authenticate` returns the
 * permissions of a client.
 */
export const createMqttServer = ({
  dataDir,
  disk,
  log,
  now,
  handshakeMs,
  reasonCodeOf,
  onDropped,
}: Options) => {
  const store = openMqttStore(dataDir, { disk, log });
  const turns = createTurns();
  const handles = new Set<ConnectionHandle>();
  const sessions = createSessions({
    store,
    now,
    onDropped: ({ id }, topic) => onDropped(usernameOf(id), topic),
  });

  return {
    serve: (stream: Duplex, hooks: ConnectionHooks): void => {
      const handle = serveConnection(stream, {
        ...hooks,
        sessions,
        turns,
        written: store.written,
        now,
        handshakeMs,
        reasonCodeOf,
        onClosed: (error) => {
          handles.delete(handle);
          hooks.onClosed(error);
        },
      });
      handles.add(handle);
    },
    /** Delivers a message to its subscribers. */
    publish: (message: Message): void => void sessions.forward(message),
    hasSubscriberOf: sessions.hasSubscriberOf,
    retained: (filter: string): Message[] => sessions.retained.match(filter),
    /** Ends sessions whose clients have been disconnected for longer than the session expiry. */
    expire: sessions.expire,
    /** Ends the sessions of an owner that are not connected. */
    endSessionsOf: sessions.endSessionsOf,
    close: async (): Promise<void> => {
      for (const handle of handles) handle.end(REASON.shuttingDown);
      await store.close();
    },
  };
};
