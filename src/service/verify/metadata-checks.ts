import { countSamples, type SpooledSamples } from '../pipelines/destinations/destination.ts';
import {
  countOf,
  formatQuantity,
  structureCheck,
  type CheckContext,
  type DatabaseCheck,
} from '../platform/storage/database-check.ts';

const RESTORE = 'Restore both databases from a backup (docs/storage.md).';
const REPORT =
  'No data is lost, but pages show wrong numbers or leave out devices. Please report these lines as a bug.';

const formatCount = (count: number): string => count.toLocaleString('en');

/** Reports each row of a query, whose columns are the name of a subject, what is stored and what was counted. */
const compareRows = (
  { db, addProblem }: Pick<CheckContext, 'db' | 'addProblem'>,
  query: string,
  describe: (name: string, stored: number, counted: number) => string,
): void => {
  for (const row of db.prepare(query).iterate()) {
    const [name, stored, counted] = Object.values(row);
    addProblem(describe(String(name), Number(stored), Number(counted)));
  }
};

const STATES = ['online', 'late', 'offline', 'never-seen'] as const;

/** The devices of each type, tag key and tag value in each state. */
const COUNTED_FACETS = (() => {
  const counts = STATES.map((state) => `sum(state = '${state}')`).join(', ');
  const select = (name: string, value: string, from: string) =>
    `SELECT ${name} AS name, ${value} AS value, ${counts}, count(*) FROM ${from} WHERE deleted_at IS NULL`;
  const tags = 'device JOIN device_tag ON device_id = device.id';
  return `WITH counted (name, value, online, late, offline, never_seen, total) AS (
    ${select("'type'", 'type', 'device')} AND type <> '' GROUP BY type
    UNION ALL ${select("'tag'", 'key', tags)} GROUP BY key
    UNION ALL ${select("'tag:' || key", 'value', tags)} GROUP BY key, value)`;
})();

const FACET_COLUMNS = ['online', 'late', 'offline', 'never_seen', 'total'];

/** Searches find each device once, in the order of names. */
const checkSearches = ({ db, addProblem }: CheckContext): void => {
  const missing = countOf(
    db,
    `SELECT count(*) FROM device LEFT JOIN device_place USING (seq)
     WHERE deleted_at IS NULL AND place NOT IN (SELECT rowid FROM device_search) IS NOT FALSE`,
  );
  if (missing > 0) addProblem(`Searches do not find ${formatQuantity(missing, 'device')}.`);
  const extra = countOf(
    db,
    'SELECT count(*) FROM device_search WHERE rowid NOT IN (SELECT place FROM device_place)',
  );
  if (extra > 0) addProblem(`The index of searches has ${formatQuantity(extra, 'row')} without a device.`);
  const misplaced = countOf(
    db,
    `SELECT count(*) FROM (SELECT place, max(place) OVER
       (ORDER BY name_key, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
     FROM device JOIN device_place USING (seq) WHERE deleted_at IS NULL) WHERE place < highest`,
  );
  if (misplaced > 0)
    addProblem(`Searches list ${formatQuantity(misplaced, 'device')} out of the order of their names.`);
};

const devicesCheck: DatabaseCheck = {
  name: 'devices',
  advice: REPORT,
  run: (context) => {
    compareRows(
      context,
      `SELECT state, count, (SELECT count(*) FROM device WHERE deleted_at IS NULL AND device.state = device_count.state) AS counted
       FROM device_count WHERE count <> counted`,
      (state, stored, counted) =>
        `The stored number of devices that are ${state} is ${formatCount(stored)}, but there are ${formatCount(counted)}.`,
    );
    compareRows(
      context,
      `${COUNTED_FACETS}
       SELECT coalesce(f.name, c.name) || ' ' || coalesce(f.value, c.value), coalesce(f.total, 0), coalesce(c.total, 0)
       FROM device_facet f FULL JOIN counted c ON f.name = c.name AND f.value = c.value
       WHERE ${FACET_COLUMNS.map((column) => `coalesce(f.${column}, 0) <> coalesce(c.${column}, 0)`).join(' OR ')}`,
      (facet, stored, counted) =>
        `The stored counts of devices with ${facet} are wrong: ${formatCount(stored)} in total, but there are ${formatCount(counted)}.`,
    );
    compareRows(
      context,
      `WITH counted AS (SELECT name, count(*) AS size FROM device_facet GROUP BY name)
       SELECT coalesce(s.name, c.name), coalesce(s.size, 0) AS stored, coalesce(c.size, 0) AS counted
       FROM device_facet_size s FULL JOIN counted c ON s.name = c.name WHERE stored <> counted`,
      (name, stored, counted) =>
        `The stored number of values of ${name} is ${formatCount(stored)}, but there are ${formatCount(counted)}.`,
    );
    compareRows(
      context,
      `SELECT id, (SELECT count(*) FROM device_tag WHERE device_id = id) AS stored,
         CASE WHEN json_valid(tags) THEN (SELECT count(*) FROM json_each(tags)) ELSE -1 END AS counted
       FROM device WHERE deleted_at IS NULL AND stored <> counted`,
      (id, stored, counted) =>
        counted < 0
          ? `The tags of device ${id} cannot be read.`
          : `Device ${id} is listed under ${formatQuantity(stored, 'tag')}, but has ${counted}.`,
    );
    checkSearches(context);
    const mislinked = countOf(
      context.db,
      'SELECT count(*) FROM device_tag JOIN device ON id = device_id WHERE device_seq <> seq',
    );
    if (mislinked > 0)
      context.addProblem(
        `${formatQuantity(mislinked, 'tag')} ${mislinked === 1 ? 'refers' : 'refer'} to the wrong device.`,
      );
    const devices = countOf(context.db, 'SELECT count(*) FROM device WHERE deleted_at IS NULL');
    const tags = countOf(context.db, 'SELECT count(*) FROM device_tag');
    return `${formatQuantity(devices, 'device')}, ${formatQuantity(tags, 'tag')}`;
  },
};

const pipelinesCheck: DatabaseCheck = {
  name: 'pipelines',
  advice: REPORT,
  run: (context) => {
    compareRows(
      context,
      `SELECT name, received, delivered + pending + rejected + skipped AS counted FROM pipeline WHERE received <> counted`,
      (name, received, sum) =>
        `The ledger of “${name}” is not balanced: ${formatCount(received)} received, but delivered, pending, rejected and skipped add up to ${formatCount(sum)}.`,
    );
    return formatQuantity(countOf(context.db, 'SELECT count(*) FROM pipeline'), 'ledger');
  },
};

/** The number of samples in a batch; undefined: it cannot be read. */
const samplesOf = (body: unknown): number | undefined => {
  try {
    return countSamples(JSON.parse(String(body)) as SpooledSamples[]);
  } catch {
    return undefined;
  }
};

const spoolCheck: DatabaseCheck = {
  name: 'spool',
  advice: `${RESTORE} Delivery of a pipeline stops at a batch that cannot be read.`,
  run: (context) => {
    const { db, addProblem, onProgress } = context;
    for (const [column, counted, unit] of [
      ['pending', 'value_count', 'samples'],
      ['spool_bytes', 'bytes', 'bytes'],
    ] as const)
      compareRows(
        context,
        `SELECT name, ${column}, coalesce((SELECT sum(${counted}) FROM spool_batch WHERE pipeline_id = pipeline.id), 0) AS counted
         FROM pipeline WHERE ${column} <> counted`,
        (name, stored, sum) =>
          `The stored size of the spool of “${name}” is ${formatCount(stored)} ${unit}, but it holds ${formatCount(sum)}.`,
      );
    const total = countOf(db, 'SELECT count(*) FROM spool_batch');
    let [batches, samples] = [0, 0];
    for (const row of db.prepare('SELECT seq, pipeline_id, body, value_count FROM spool_batch').iterate()) {
      const found = samplesOf(row['body']);
      if (found !== row['value_count'])
        addProblem(
          `Batch ${String(row['seq'])} of pipeline ${String(row['pipeline_id'])} ${found === undefined ? 'cannot be read' : `holds ${found} samples instead of ${String(row['value_count'])}`}.`,
        );
      batches += 1;
      samples += Number(row['value_count']);
      onProgress(batches / total);
    }
    return `${formatQuantity(batches, 'batch', 'batches')}, ${formatQuantity(samples, 'sample')}`;
  },
};

const foreignKeysCheck: DatabaseCheck = {
  name: 'foreign keys',
  advice: RESTORE,
  run: ({ db, addProblem }) => {
    for (const { table, rowid, parent } of db.prepare('PRAGMA foreign_key_check').iterate())
      addProblem(
        `Row ${String(rowid ?? '')} of ${String(table)} refers to a missing row of ${String(parent)}.`,
      );
    return formatQuantity(
      countOf(
        db,
        "SELECT count(*) FROM sqlite_schema s, pragma_foreign_key_list(s.name) WHERE s.type = 'table'",
      ),
      'reference',
    );
  },
};

/** The checks of a penstock.db of any version. */
export const metadataStructure: readonly [DatabaseCheck, ...DatabaseCheck[]] = [
  structureCheck(RESTORE),
  foreignKeysCheck,
];

/** The checks of a penstock.db whose schema is the newest. */
export const metadataChecks: readonly DatabaseCheck[] = [devicesCheck, pipelinesCheck, spoolCheck];
