/**
 * The schema of telemetry.db, one step for each version. docs/telemetry-store.md describes the bytes of the coded
 * columns. Booleans are stored as 0 and 1: the kind of the series tells them from numbers.
 */
export const telemetryMigrations: readonly string[] = [
  `
  CREATE TABLE series (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    device TEXT NOT NULL,
    metric TEXT NOT NULL,
    kind TEXT NOT NULL,
    unit TEXT,
    label TEXT,
    samples INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, metric)
  ) STRICT;
  CREATE TABLE sample (
    series INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (series, ts)
  ) STRICT, WITHOUT ROWID;
  `,
  // convert-sample-table.ts then moves the samples from the table sample to chunks, a series at a time.
  `
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    added INTEGER NOT NULL,
    coded BLOB NOT NULL
  ) STRICT;
  CREATE TABLE chunk (
    series INTEGER NOT NULL,
    first_ts INTEGER NOT NULL,
    last_ts INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    sum REAL,
    min REAL,
    max REAL,
    first REAL,
    last REAL,
    data INTEGER NOT NULL,
    PRIMARY KEY (series, first_ts)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE chunk_data (
    id INTEGER PRIMARY KEY,
    coded BLOB NOT NULL
  ) STRICT;
  CREATE TABLE progress (
    samples INTEGER NOT NULL,
    compacted_seq INTEGER NOT NULL,
    compacted_series INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress SELECT coalesce(sum(samples), 0), 0, 0 FROM series;
  ALTER TABLE series DROP COLUMN samples;
  `,
  `
  CREATE TABLE rollup (
    id INTEGER PRIMARY KEY,
    series INTEGER NOT NULL,
    from_ts INTEGER NOT NULL,
    to_ts INTEGER NOT NULL,
    width_ms INTEGER NOT NULL,
    buckets INTEGER NOT NULL,
    coded BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX rollup_by_series ON rollup (series, to_ts);
  `,
  `
  ALTER TABLE progress ADD COLUMN partial_series INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE progress ADD COLUMN partial_until INTEGER NOT NULL DEFAULT 0;
  `,
];
