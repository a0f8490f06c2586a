import type { WriteBatch } from '../telemetry-store.ts';
import type { PostgresClient } from '../../../platform/storage/dialects/postgres-pool.ts';
import { findInBatches, limitSeries, seriesKeyOf, wantedBy, type WantedSeries } from '../wanted-series.ts';

/** Series cached at most. */
const MAX_KNOWN = 100_000;

/** A series in the store. `kind` is a position in KINDS. */
export type KnownSeries = { readonly id: number; readonly kind: number };

type FoundRow = KnownSeries & { device: string; metric: string };

/**
 * The series of the store, found or created for writes that share the lock. Valid until any process removes a series.
 */
export class SeriesCache {
  readonly #known = new Map<string, KnownSeries>();
  readonly #metricsPerDevice: number;
  #generation: number | undefined;

  constructor(metricsPerDevice: number) {
    this.#metricsPerDevice = metricsPerDevice;
  }

  /** Call after a removal, a failed transaction or a lost connection: cached series may be gone. */
  clear(): void {
    this.#known.clear();
  }

  /**
   * The series of each batch by its position there: null if its device has reached the limit of metrics, undefined if
   * no sample names it.
   */
  async resolve(
    client: PostgresClient,
    batches: readonly WriteBatch[],
  ): Promise<(KnownSeries | null | undefined)[][]> {
    const { rows } = await client.query<{ value: number }>('select value from telemetry_generation');
    if (this.#known.size > MAX_KNOWN || rows[0]?.value !== this.#generation) this.clear();
    this.#generation = rows[0]?.value;
    const missing = [...wantedBy(batches)].filter(([key]) => !this.#known.has(key));
    if (missing.length > 0)
      await this.#load(
        client,
        missing.map(([, series]) => series),
      );
    const unknown = missing.filter(([key]) => !this.#known.has(key));
    if (unknown.length > 0)
      await this.#insert(
        client,
        unknown.map(([, series]) => series),
      );
    return findInBatches(batches, this.#known);
  }

  async #load(client: PostgresClient, wanted: readonly WantedSeries[]): Promise<void> {
    const { rows } = await client.query<FoundRow>(
      `select id, device, metric, kind from telemetry_series
       join unnest($1::text[], $2::text[]) as wanted (device, metric) using (device, metric)`,
      [wanted.map(({ device }) => device), wanted.map(({ metric }) => metric)],
    );
    this.#addKnown(rows);
  }

  async #insert(client: PostgresClient, wanted: readonly WantedSeries[]): Promise<void> {
    const { rows: counted } = await client.query<{ device: string; count: number }>(
      'select device, count(*) from telemetry_series where device = any($1) group by device',
      [[...new Set(wanted.map(({ device }) => device))]],
    );
    const counts = new Map(counted.map(({ device, count }) => [device, count]));
    const allowed = limitSeries(wanted, counts, this.#metricsPerDevice);
    const { rows } = await client.query<FoundRow>(
      `insert into telemetry_series (device, metric, kind, unit)
       select * from unnest($1::text[], $2::text[], $3::smallint[], $4::text[])
       on conflict (device, metric) do nothing
       returning id, device, metric, kind`,
      [
        allowed.map(({ device }) => device),
        allowed.map(({ metric }) => metric),
        allowed.map(({ kind }) => kind),
        allowed.map(({ unit }) => unit),
      ],
    );
    this.#addKnown(rows);
    // Another process may have been faster.
    if (rows.length < allowed.length) await this.#load(client, allowed);
  }

  #addKnown(rows: readonly FoundRow[]): void {
    for (const { id, device, metric, kind } of rows)
      this.#known.set(seriesKeyOf({ device, metric }), { id, kind });
  }
}
