import type { Selectable } from 'kysely';
import type { AllowedNetwork } from '#contract/networks.ts';
import { notFound } from '../platform/http/http-problem.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { NetworkPermission } from '../platform/outbound/allowed-networks.ts';
import type { Db } from '../platform/storage/database.ts';
import type { AllowedNetworkTable } from './network-table.ts';

/** An allowed network of the settings. Those of the configuration are not stored. */
export type StoredNetwork = AllowedNetwork & NetworkPermission & { id: string };

const networkOf = (row: Selectable<AllowedNetworkTable>): StoredNetwork => ({
  id: row.id,
  network: row.network,
  ports: JSON.parse(row.ports) as number[] | null,
  createdBy: row.created_by,
  createdAt: toIsoTime(row.created_at),
});

export const listNetworks = async (db: Db): Promise<StoredNetwork[]> => {
  const rows = await db
    .selectFrom('allowed_network')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(networkOf);
};

export const getNetwork = async (db: Db, id: string): Promise<StoredNetwork> => {
  const row = await db.selectFrom('allowed_network').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('allowed network');
  return networkOf(row);
};

export const insertNetwork = async (
  db: Db,
  { id, network, ports }: NetworkPermission & { id: string },
  { by, atMs }: { by: string; atMs: number },
): Promise<void> => {
  await db
    .insertInto('allowed_network')
    .values({ id, network, ports: JSON.stringify(ports), created_by: by, created_at: atMs })
    .execute();
};

export const deleteNetwork = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('allowed_network').where('id', '=', id).execute();
};
