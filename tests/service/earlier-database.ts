import { readFileSync, writeFileSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { migrations } from '#service/platform/storage/migrations/migrations.ts';

const AT = 1_750_000_000_000;

/** The start of a minute, so that its hour is known. */
export const MINUTE = 1_749_999_600_000;

/** Rows that an operator's service had written when each version of the schema was the latest. */
const rowsSince: Record<string, readonly string[]> = {
  '0001-foundation': [
    ...(
      [
        [1, 'dev_a', 'pump-10', 'Pump 10', 'pump', '{"site":"North","line":"1"}', 'online', 'NULL'],
        [2, 'dev_b', 'pump-2', 'Pump 2', 'pump', '{"site":"Süd"}', 'offline', 'NULL'],
        [3, 'dev_c', 'old', 'Old', '', '{"site":"North"}', 'offline', String(AT)],
      ] as const
    ).map(
      ([seq, id, externalId, name, type, tags, state, deletedAt]) => `
        INSERT INTO device (seq, id, external_id, name, name_key, search_key, type, description, tags, state, last_seen_at,
          created_at, updated_at, deleted_at, revision)
        VALUES (${seq}, '${id}', '${externalId}', '${name}', lower('${name}'), lower('${name} ${externalId}'), '${type}',
          'Hall 3', '${tags}', '${state}', ${AT}, ${AT}, ${AT}, ${deletedAt}, 4)`,
    ),
    `INSERT INTO device_tag (device_id, key, value) VALUES
      ('dev_a', 'site', 'North'), ('dev_a', 'line', '1'), ('dev_b', 'site', 'Süd'), ('dev_c', 'site', 'North')`,
    `INSERT INTO api_key (id, digest, name, name_key, last4, scopes, expires_key, last_used_at, created_at, revision)
      VALUES ('key_a', 'digest-a', 'Gateway', 'gateway', 'abcd', '["telemetry:write"]', 9e15, ${AT}, ${AT}, 1)`,
    `INSERT INTO session (id, digest, key_id, idle_ms, last_used_at, expires_at, created_at)
      VALUES ('ses_a', 'digest-s', 'key_a', 1000, ${AT}, ${AT}, ${AT})`,
    `INSERT INTO event (seq, id, at, type, subject_type, subject_id, subject_name, data)
      VALUES (7, 'evt_a', ${AT}, 'device.registered', 'device', 'dev_a', 'Pump 10', '{"via":"http"}')`,
    `INSERT INTO pipeline (id, name, name_key, type, interval, destination, enabled, config, secrets, mapping, state, problems,
        received, delivered, pending, rejected, last_message_at, created_at, updated_at, revision)
      VALUES ('pipe_a', 'Plant', 'plant', 'http', 10, 'Öl', 1, '{}', '{}', '{"format":"auto"}', 'running', '[]',
        10, 6, 3, 1, ${AT}, ${AT}, ${AT}, 2)`,
    `INSERT INTO rejection (id, pipeline_id, at, reason, detail, message, attempts, value_count)
      VALUES ('rej_a', 'pipe_a', ${AT}, 'not-json', 'Not JSON', '{', 1, 1)`,
    `INSERT INTO webhook (id, name, name_key, url, events, enabled, secret, state, delivered, pending, failed, busy_until,
        created_at, updated_at, revision)
      VALUES ('wh_a', 'Pager', 'pager', 'https://pager.example.com/', '["device.offline"]', 1, 'whsec_a', 'failing', 5, 1, 2, 0,
        ${AT}, ${AT}, 1)`,
    `INSERT INTO webhook_call VALUES ('wh_a', 'evt_a', '{}', 3, ${AT})`,
    `INSERT INTO idempotency VALUES ('once', 'key_a', 'digest-r', 201, '{}', '{}', ${AT})`,
    `INSERT INTO fact VALUES ('seeded', 'none')`,
  ],
  '0003-destinations': [
    `INSERT INTO destination (id, name, name_key, type, url, options, secrets, state, created_at, updated_at, revision)
      VALUES ('dst_a', 'Öl', 'öl', 'http', 'https://sink.example.com/', '{}', '{}', 'failing', ${AT}, ${AT}, 1)`,
    `INSERT INTO spool_batch (seq, pipeline_id, body, value_count, bytes, created_at)
      VALUES (9, 'pipe_a', '[{"device":"dev_a","ts":1,"values":{"n":1,"m":2,"k":3}}]', 3, 55, ${AT})`,
    `UPDATE pipeline SET spool_bytes = 55 WHERE id = 'pipe_a'`,
    `INSERT INTO event (seq, id, at, type, subject_type, subject_id, subject_name, data)
      VALUES (8, 'evt_b', ${AT}, 'destination.state-changed', 'destination', 'dst_a', 'Öl', '{"from":"ready","to":"failing"}')`,
  ],
  '0004-whole-messages': [`INSERT INTO whole_message VALUES ('rej_a', 'pipe_a', ${AT}, '{', 1)`],
  '0005-skipped-and-overwritten': [
    `UPDATE pipeline SET received = 12, skipped = 2, overwritten = 1 WHERE id = 'pipe_a'`,
  ],
  '0006-unrouted-messages': [
    `INSERT INTO unrouted_topic VALUES ('plant/+/up', 'plant/+/up', 4, ${AT}, ${AT}, '["gw"]', 'plant/gw/up', '{}', 2, 0, 1)`,
  ],
  '0007-overwrites': [`INSERT INTO overwrite VALUES ('pipe_a', 'dev_a', 'n', 1, ${AT}, ${AT}, 1, '1', '2')`],
  '0009-throughput': [
    `INSERT INTO pipeline_minute VALUES ('pipe_a', ${MINUTE}, 5), ('pipe_a', ${MINUTE + 60_000}, 7)`,
    `INSERT INTO service_minute (minute, ran_ms) VALUES (${MINUTE}, 60000), (${MINUTE + 60_000}, 30000)`,
  ],
  '0017-webhook-digests': [
    `INSERT INTO webhook_digest VALUES ('wh_a', ${AT}, 1, '{}', ${AT}, ${AT})`,
    `INSERT INTO webhook_digest_event VALUES ('wh_a', 0, '{}')`,
  ],
  '0019-metric-settings': [
    `INSERT INTO metric_settings (owner, device_id, metric, label, unit, decimals, revision)
      VALUES ('dev_a', 'dev_a', 'n', 'Level', 'm', 1, 1)`,
  ],
};

export const versions = Object.keys(migrations);

/** The files of versions that were created before: the next version starts with the one before it. */
const created = new Map<string, Buffer>();

/** Creates a metadata database as a service had it when `version` was the latest, with rows of all its tables. */
export const createEarlierDatabase = async (path: string, version: string): Promise<void> => {
  const wanted = versions.slice(0, versions.indexOf(version) + 1);
  const start = wanted.findLast((name) => created.has(name));
  if (start !== undefined) writeFileSync(path, created.get(start)!);
  if (start === version) return;
  const db = new Kysely<unknown>({ dialect: sqliteDialect(path) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  try {
    for (const name of wanted.slice(start === undefined ? 0 : wanted.indexOf(start) + 1)) {
      const { error } = await migrator.migrateTo(name);
      if (error !== undefined) throw error;
      for (const row of rowsSince[name] ?? []) await sql.raw(row).execute(db);
    }
  } finally {
    await db.destroy();
  }
  created.set(version, readFileSync(path));
};
