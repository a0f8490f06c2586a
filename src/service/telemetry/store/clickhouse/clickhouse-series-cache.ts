import { KIND } from '../sample-columns.ts';
import type { WriteBatch } from '../telemetry-store.ts';
import type { WriteCoordinator } from '../write-coordinator.ts';
import { findInBatches, limitSeries, seriesKeyOf, wantedBy } from '../wanted-series.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import {
  countByDevice,
  findWanted,
  saveSeries,
  toNewSeries,
  type ClickHouseSeries,
} from './clickhouse-series.ts';

/** Series cached at most. */
const MAX_KNOWN = 100_000;

/** A series in the store. `kind` is a position in KINDS. */
export type KnownSeries = { readonly id: bigint; readonly kind: number };

/** The series of the store, found or created for writes. Valid until any process removes a series. */
export class ClickHouseSeriesCache {
  readonly #known = new Map<string, KnownSeries>();
  readonly #clickhouse: ClickHouse;
  readonly #metricsPerDevice: number;
  readonly #coordinator: Pick<WriteCoordinator, 'lockSeriesCreation'>;
  #generation: number | undefined;

  constructor(
    clickhouse: ClickHouse,
    metricsPerDevice: number,
    coordinator: Pick<WriteCoordinator, 'lockSeriesCreation'>,
  ) {
    this.#clickhouse = clickhouse;
    this.#metricsPerDevice = metricsPerDevice;
    this.#coordinator = coordinator;
  }

  /** Call after a removal, or an outage in which other processes may have written: cached series may be gone. */
  clear(): void {
    this.#known.clear();
  }

  /** As `findInBatches`, where a series is null if its device has reached the limit of metrics. */
  async resolve(
    batches: readonly WriteBatch[],
    generation: number,
  ): Promise<(KnownSeries | null | undefined)[][]> {
    if (this.#known.size > MAX_KNOWN || generation !== this.#generation) this.clear();
    this.#generation = generation;
    const unknown = () =>
      [...wantedBy(batches)].filter(([key]) => !this.#known.has(key)).map(([, wanted]) => wanted);
    const find = async () => {
      if (unknown().length > 0) this.#add(await findWanted(this.#clickhouse, unknown()));
    };
    await find();
    if (unknown().length > 0)
      // Otherwise two processes could create the same metric with different kinds.
      await this.#coordinator.lockSeriesCreation(async () => {
        await find();
        const wanted = unknown();
        const devices = [...new Set(wanted.map(({ device }) => device))];
        const counts = await countByDevice(this.#clickhouse, devices);
        const created = limitSeries(wanted, counts, this.#metricsPerDevice).map(toNewSeries);
        await saveSeries(this.#clickhouse, created, { isDeleted: false });
        this.#add(created);
      });
    return findInBatches(batches, this.#known);
  }

  #add(all: readonly ClickHouseSeries[]): void {
    for (const { id, kind, ...name } of all) this.#known.set(seriesKeyOf(name), { id, kind: KIND[kind] });
  }
}
