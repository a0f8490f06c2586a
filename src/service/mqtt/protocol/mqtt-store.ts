import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { QoS } from 'mqtt-packet';
import type { Logger } from 'pino';
import {
  inTransaction,
  migrateSqlite,
  openSqlite,
  type DatabaseSync,
} from '../../platform/storage/dialects/sqlite.ts';
import type { DiskGuard } from '../../platform/storage/disk-guard.ts';
import { createWalSync } from '../../platform/storage/dialects/wal-sync.ts';
import { isCannotOpen, isDamage } from '../../platform/storage/damaged-file.ts';
import { isUnwritable } from '../../platform/storage/disk-full.ts';
import { decodeProperties, encodeProperties, type Message } from './mqtt-message.ts';

export type RetainedMessage = {
  readonly message: Message;
  /** Who published it. */
  readonly owner: string;
};

/** A message for a client, until it is acknowledged. */
export type StoredMessage = {
  readonly packetId: number;
  readonly message: Message;
  /** QoS 2: the client has received it (PUBREC). */
  readonly isReleased: boolean;
};

export type StoredSession = {
  readonly id: string;
  /** Who opened it or continued it last. */
  readonly owner: string;
  /** JSON: pairs of the topic filter of the client and the subscription. */
  readonly subscriptions: string;
  /** JSON: packet identifiers of QoS 2 messages that the client has not released yet. */
  readonly received: string;
  readonly expirySeconds: number;
  /** Epoch ms; null: the client is connected. */
  readonly expiresAtMs: number | null;
};

/** Changes since the last write, by key; null: deleted. */
type Changes = {
  retained: Map<string, RetainedMessage | null>;
  /** Sessions to delete with their messages. Another session with the same ID may be in `sessions`. */
  ended: Set<string>;
  /** Read at the write, since a session changes more often. */
  sessions: Map<string, () => StoredSession>;
  /** By session and packet identifier, in the order of arrival. */
  messages: Map<string, Map<number, StoredMessage | null>>;
};

export type MqttStore = {
  readonly retained: readonly RetainedMessage[];
  readonly sessions: readonly (StoredSession & { messages: StoredMessage[] })[];
  saveRetained(topic: string, retained: RetainedMessage | null): void;
  saveSession(id: string, read: (() => StoredSession) | null): void;
  saveMessage(session: string, packetId: number, stored: StoredMessage | null): void;
  /** Resolves once all changes so far are on disk. @throws the error of the write; the next write includes them */
  written(): Promise<void>;
  close(): Promise<void>;
};

const STEPS = [
  `CREATE TABLE retained (topic TEXT PRIMARY KEY, payload BLOB NOT NULL, qos INTEGER NOT NULL, properties TEXT, expires_at INTEGER) WITHOUT ROWID;
   CREATE TABLE session (id TEXT PRIMARY KEY, subscriptions TEXT NOT NULL, received TEXT NOT NULL, expiry_seconds INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
   CREATE TABLE message (position INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, packet_id INTEGER NOT NULL, topic TEXT NOT NULL, payload BLOB NOT NULL,
     qos INTEGER NOT NULL, is_retained INTEGER NOT NULL, is_released INTEGER NOT NULL, properties TEXT, expires_at INTEGER, UNIQUE (session, packet_id))`,
  `ALTER TABLE session ADD COLUMN owner TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE retained ADD COLUMN owner TEXT NOT NULL DEFAULT ''`,
];

const noChanges = (): Changes => ({
  retained: new Map(),
  ended: new Set(),
  sessions: new Map(),
  messages: new Map(),
});

/** The changes of a failed write, and those since. */
const combine = (failed: Changes, later: Changes): Changes => {
  const kept = <Value>(changes: Map<string, Value>) =>
    [...changes].filter(([session]) => !later.ended.has(session));
  const messages = new Map(kept(failed.messages));
  for (const [session, changed] of later.messages) {
    const before = messages.get(session) ?? new Map<number, StoredMessage | null>();
    for (const packetId of changed.keys()) before.delete(packetId);
    messages.set(session, new Map([...before, ...changed]));
  }
  return {
    retained: new Map([...failed.retained, ...later.retained]),
    ended: failed.ended.union(later.ended),
    sessions: new Map([...kept(failed.sessions), ...later.sessions]),
    messages,
  };
};

type Row = Record<string, string | number | Uint8Array | null>;

const messageOf = (row: Row): Message => ({
  topic: String(row['topic']),
  payload: Buffer.from(row['payload'] as Uint8Array),
  qos: Number(row['qos']) as QoS,
  retain: row['is_retained'] !== 0,
  properties: decodeProperties(row['properties'] as string | null),
  expiresAtMs: row['expires_at'] === null ? undefined : Number(row['expires_at']),
});

const load = (db: DatabaseSync) => {
  const rows = (sql: string) => db.prepare(sql).all() as Row[];
  const messages = Map.groupBy(rows('SELECT * FROM message ORDER BY position'), ({ session }) => session);
  return {
    retained: rows('SELECT *, 1 AS is_retained FROM retained').map((row) => ({
      message: messageOf(row),
      owner: String(row['owner']),
    })),
    sessions: rows('SELECT * FROM session').map((row) => ({
      id: String(row['id']),
      owner: String(row['owner']),
      subscriptions: String(row['subscriptions']),
      received: String(row['received']),
      expirySeconds: Number(row['expiry_seconds']),
      expiresAtMs: row['expires_at'] === null ? null : Number(row['expires_at']),
      messages: (messages.get(row['id'] ?? '') ?? []).map((each) => ({
        packetId: Number(each['packet_id']),
        message: messageOf(each),
        isReleased: each['is_released'] === 1,
      })),
    })),
  };
};

const write = (db: DatabaseSync, { retained, ended, sessions, messages }: Changes): void => {
  const statement = (sql: string) => db.prepare(sql);
  const saveRetained = statement('INSERT OR REPLACE INTO retained VALUES (?, ?, ?, ?, ?, ?)');
  const deleteRetained = statement('DELETE FROM retained WHERE topic = ?');
  for (const [topic, kept] of retained)
    if (kept === null) deleteRetained.run(topic);
    else {
      const { payload, qos, properties, expiresAtMs } = kept.message;
      saveRetained.run(topic, payload, qos, encodeProperties(properties), expiresAtMs ?? null, kept.owner);
    }
  const saveSession = statement('INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?)');
  const deleteSession = statement('DELETE FROM session WHERE id = ?');
  const deleteMessages = statement('DELETE FROM message WHERE session = ?');
  for (const id of ended) {
    deleteSession.run(id);
    deleteMessages.run(id);
  }
  for (const [id, read] of sessions) {
    const { subscriptions, received, expirySeconds, expiresAtMs, owner } = read();
    saveSession.run(id, subscriptions, received, expirySeconds, expiresAtMs, owner);
  }
  const saveMessage = statement(
    `INSERT INTO message (session, packet_id, topic, payload, qos, is_retained, is_released, properties, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET is_released = excluded.is_released`,
  );
  const deleteMessage = statement('DELETE FROM message WHERE session = ? AND packet_id = ?');
  const save = (session: string, packetId: number, stored: StoredMessage | null): void => {
    if (stored === null || !stored.isReleased) deleteMessage.run(session, packetId);
    if (stored === null) return;
    const { topic, payload, qos, retain, properties, expiresAtMs } = stored.message;
    saveMessage.run(
      session,
      packetId,
      topic,
      payload,
      qos,
      retain ? 1 : 0,
      stored.isReleased ? 1 : 0,
      encodeProperties(properties),
      expiresAtMs ?? null,
    );
  };
  for (const [session, changed] of messages)
    for (const [packetId, stored] of changed) save(session, packetId, stored);
};

/** Without a file, sessions and retained messages end with the process. */
export const memoryStore = (): MqttStore => ({
  retained: [],
  sessions: [],
  saveRetained: () => undefined,
  saveSession: () => undefined,
  saveMessage: () => undefined,
  written: async () => undefined,
  close: async () => undefined,
});

const open = (path: string): DatabaseSync => {
  const db = openSqlite(path);
  try {
    migrateSqlite(db, STEPS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const setAside = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm'])
    try {
      renameSync(path + suffix, `${path}.damaged${suffix}`);
    } catch {
      // The write-ahead log exists only after a kill.
    }
};

/**
 * Persistent sessions, their messages and retained messages in `mqtt.db`. Each process serves its own clients, so the
 * file is in its data directory, even if the metadata is in PostgreSQL. Changes that arrive during a write share the
 * next transaction. A file that cannot be used never prevents the start.
 */
export const openMqttStore = (
  dataDir: string,
  { disk, log }: { disk: Pick<DiskGuard, 'requireWritable' | 'reportError'>; log: Logger },
): MqttStore => {
  const path = join(dataDir, 'mqtt.db');
  let db: DatabaseSync;
  let loaded: ReturnType<typeof load>;
  try {
    try {
      db = open(path);
      loaded = load(db);
    } catch (error) {
      if (!isDamage(error)) throw error;
      log.error(
        { err: error },
        'mqtt.db is damaged; it is kept as mqtt.db.damaged, and MQTT sessions start empty',
      );
      setAside(path);
      db = open(path);
      loaded = load(db);
    }
  } catch (error) {
    // A full or read-only disk is not a bug, so the log needs no stack.
    log.error(
      isUnwritable(error) || isCannotOpen(error) ? { reason: error.message } : { err: error },
      'mqtt.db cannot be written; MQTT sessions and retained messages end with this process',
    );
    return memoryStore();
  }
  const walSync = createWalSync(`${path}-wal`, (error) => disk.reportError(error));
  let changes = noChanges();
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();

  const writeNext = async (): Promise<void> => {
    await running.catch(() => undefined);
    // Changes of the same event loop iteration share a transaction.
    await new Promise((resolve) => setImmediate(resolve));
    running = next!;
    next = undefined;
    // Nothing to write. On a disk that has failed, even an empty write would end the process.
    if (Object.values(changes).every(({ size }) => size === 0)) return;
    const batch = changes;
    changes = noChanges();
    try {
      disk.requireWritable();
      inTransaction(db, () => write(db, batch));
    } catch (error) {
      changes = combine(batch, changes);
      throw disk.reportError(error);
    }
    await walSync.sync();
  };
  const written = (): Promise<void> => (next ??= writeNext());
  /** Writes changes that no message waits for. The next write includes the changes of a failed one. */
  const writeSoon = () => void written().catch(() => undefined);

  return {
    ...loaded,
    saveRetained: (topic, retained) => {
      changes.retained.set(topic, retained);
      writeSoon();
    },
    saveSession: (id, read) => {
      if (read === null) {
        changes.ended.add(id);
        changes.sessions.delete(id);
        changes.messages.delete(id);
      } else changes.sessions.set(id, read);
      writeSoon();
    },
    saveMessage: (session, packetId, stored) => {
      let changed = changes.messages.get(session);
      if (changed === undefined) changes.messages.set(session, (changed = new Map()));
      changed.delete(packetId);
      changed.set(packetId, stored);
      writeSoon();
    },
    written,
    close: async () => {
      await written().catch(() => undefined);
      await walSync.close().catch(() => undefined);
      db.close();
    },
  };
};
