import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { foldCase } from '#contract/fold-case.ts';
import { isPostgres } from '../dialects/is-postgres.ts';
import { textOf } from './column-types.ts';

const states = [
  ['online', 'online'],
  ['late', 'late'],
  ['offline', 'offline'],
  ['never-seen', 'never_seen'],
] as const;

const counts = [...states.map(([, column]) => column), 'total'];

/** The rows of a device's tags: one for the key, one for the value. `tag`: a table or a trigger's row of device_tag. */
const tagRows = (tag: string) => [
  { name: "'tag'", value: `${tag}.key`, key: `lower(${tag}.key)` },
  { name: `'tag:' || ${tag}.key`, value: `${tag}.value`, key: `${tag}.value_key` },
];
const typeRow = (device: string) => ({
  name: "'type'",
  value: `${device}.type`,
  key: `${device}.type_key`,
});

type FacetRow = ReturnType<typeof typeRow>;

/** 1 for a device that counts in a state (or in any), otherwise 0. */
const isIn = (device: string, state: string | undefined): string =>
  `case when ${device}.deleted_at is null${state === undefined ? '' : ` and ${device}.state = '${state}'`} then 1 else 0 end`;

/** Adds the change of each count to a facet row. `change` returns the change of one count. */
const applied = (row: FacetRow, from: string, change: (state: string | undefined) => string): string => `
  insert into device_facet (name, value, value_key, ${counts.join(', ')})
  select ${row.name}, ${row.value}, ${row.key}, ${[...states.map(([state]) => change(state)), change(undefined)].join(', ')}
  ${from}
  on conflict (name, value) do update set
    ${counts.map((count) => `${count} = device_facet.${count} + excluded.${count}`).join(', ')};`;

const plus = (device: string) => (state: string | undefined) => isIn(device, state);
const minus = (device: string) => (state: string | undefined) => `-(${isIn(device, state)})`;
const clearEmpty = 'delete from device_facet where total = 0;';

const ofType = (device: 'old' | 'new', change: typeof plus): string =>
  applied(typeRow(device), `where ${device}.type <> '' and ${device}.deleted_at is null`, change(device));
const ofTags = (device: 'old' | 'new', change: (state: string | undefined) => string): string =>
  tagRows('device_tag')
    .map((row) => applied(row, `from device_tag where device_tag.device_id = ${device}.id`, change))
    .join('');
const ofTag = (tag: 'old' | 'new', change: typeof plus): string =>
  tagRows(tag)
    .map((row) =>
      applied(
        row,
        `from device where device.id = ${tag}.device_id and device.deleted_at is null`,
        change('device'),
      ),
    )
    .join('');

const triggers: Record<string, [when: string, work: string]> = {
  device_facet_insert: ['after insert on device for each row', ofType('new', plus)],
  device_facet_update: [
    `after update of state, type, deleted_at on device for each row
     when (old.state <> new.state or old.type <> new.type or (old.deleted_at is null) <> (new.deleted_at is null))`,
    ofType('old', minus) +
      ofType('new', plus) +
      ofTags('new', (state) => `${isIn('new', state)} - ${isIn('old', state)}`) +
      clearEmpty,
  ],
  // Before the delete: the tags of the device are deleted with it.
  device_facet_delete: [
    'before delete on device for each row when (old.deleted_at is null)',
    ofType('old', minus) + ofTags('old', minus('old')) + clearEmpty,
  ],
  device_facet_tag_insert: ['after insert on device_tag for each row', ofTag('new', plus)],
  device_facet_tag_delete: ['after delete on device_tag for each row', ofTag('old', minus) + clearEmpty],
};

/** Maintains the number of devices in each state for each type, tag key and tag value. */
const createFacetTriggers = async (db: Kysely<unknown>): Promise<void> => {
  for (const [name, [when, work]] of Object.entries(triggers)) {
    if (!isPostgres(db)) {
      await sql.raw(`create trigger ${name} ${when} begin ${work} end`).execute(db);
      continue;
    }
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql
         as $$ begin ${work} return ${name === 'device_facet_delete' ? 'old' : 'null'}; end $$`,
      )
      .execute(db);
    await sql.raw(`create trigger ${name} ${when} execute function ${name}()`).execute(db);
  }
};

/** Counts the devices of a database of an earlier version. */
const fillFacets = async (db: Kysely<unknown>): Promise<void> => {
  const sums = [...states.map(([state]) => state), undefined]
    .map((state) => `sum(${isIn('device', state)})`)
    .join(', ');
  const sources = [
    ...tagRows('device_tag').map(
      (row) => [row, 'device_tag join device on device.id = device_tag.device_id where true'] as const,
    ),
    [typeRow('device'), "device where device.type <> ''"] as const,
  ];
  for (const [{ name, value, key }, from] of sources)
    await sql
      .raw(
        `insert into device_facet (name, value, value_key, ${counts.join(', ')})
         select ${name}, ${value}, ${key}, ${sums} from ${from} and device.deleted_at is null
         group by 1, 2, 3`,
      )
      .execute(db);
};

const ROWS = 1_000;

/** Folds every type and tag value. */
const foldValues = async (db: Kysely<unknown>): Promise<void> => {
  for (let after = ''; ;) {
    const { rows } = await sql<{ id: string; type: string; tags: string }>`
      select id, type, tags from device where id > ${after} order by id limit ${ROWS}`.execute(db);
    for (const { id, type, tags } of rows) {
      if (type !== '') await sql`update device set type_key = ${foldCase(type)} where id = ${id}`.execute(db);
      for (const [key, value] of Object.entries(JSON.parse(tags) as Record<string, string>))
        await sql`update device_tag set value_key = ${foldCase(value)}
          where device_id = ${id} and key = ${key}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.id;
  }
};

export const deviceFacets: Migration = {
  up: async (db: Kysely<unknown>) => {
    const text = textOf(db);
    for (const [table, column] of [
      ['device', 'type_key'],
      ['device_tag', 'value_key'],
    ] as const)
      await db.schema
        .alterTable(table)
        .addColumn(column, text, (definition) => definition.notNull().defaultTo(''))
        .execute();
    await foldValues(db);
    let facets = db.schema
      .createTable('device_facet')
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('value_key', text, (column) => column.notNull());
    for (const count of counts) facets = facets.addColumn(count, 'bigint', (column) => column.notNull());
    await facets.addPrimaryKeyConstraint('device_facet_pk', ['name', 'value']).execute();
    await fillFacets(db);
    // The most common values first, and the values that begin with a text.
    await sql`create index device_facet_by_total on device_facet (name, total desc, value_key, value)`.execute(
      db,
    );
    await sql`create index device_facet_by_key on device_facet (name, value_key, value)`.execute(db);
    await sql`create index device_facet_empty on device_facet (name) where total = 0`.execute(db);
    await createFacetTriggers(db);
  },
};
