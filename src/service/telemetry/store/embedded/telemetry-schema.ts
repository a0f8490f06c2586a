/** The schema of telemetry.db, a step a version. A boolean is kept as 0 or 1; the series' kind says which it is. */
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
];
