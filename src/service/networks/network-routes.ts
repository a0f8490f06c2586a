import { describeNetwork, networksApi, type AllowedNetwork } from '#contract/networks.ts';
import { partyOf, type NewEvent, type Transact } from '../events/event-store.ts';
import { Answer } from '../platform/http/answer.ts';
import { route } from '../platform/http/route.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { AllowedNetworks } from '../platform/outbound/allowed-networks.ts';
import type { Db } from '../platform/storage/database.ts';
import { newId } from '../platform/storage/new-id.ts';
import { canonicalNetwork, canonicalPorts, requireNew } from './network-rules.ts';
import {
  deleteNetwork,
  getNetwork,
  insertNetwork,
  listNetworks,
  type StoredNetwork,
} from './network-store.ts';

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  allowedNetworks: Pick<AllowedNetworks, 'add' | 'delete'>;
  /** CIDRs of ALLOWED_NETWORKS. */
  configuredNetworks: readonly string[];
  /** Called after a network was allowed. */
  onAllowed: () => void;
};

/** An allowed network is never changed. */
const REVISION = 1;

const configured = (network: string): AllowedNetwork => ({
  id: null,
  network,
  ports: null,
  createdBy: null,
  createdAt: null,
});

const eventOf = (
  type: NewEvent['type'],
  { id, network, ports }: StoredNetwork,
  by: Pick<NewEvent, 'actor' | 'at'>,
): NewEvent => ({
  type,
  subject: { type: 'network', id, name: describeNetwork({ network, ports }) },
  data: { network, ports },
  ...by,
});

export const networkRoutes = ({
  db,
  transact,
  now,
  allowedNetworks,
  configuredNetworks,
  onAllowed,
}: Dependencies) => [
  route(networksApi.list, async () => ({
    data: [...configuredNetworks.map(configured), ...(await listNetworks(db))],
  })),

  route(networksApi.create, async ({ body, actor, saveResponse }) => {
    const by = { actor: partyOf(actor), at: now() };
    const created: StoredNetwork = {
      id: newId('net'),
      network: canonicalNetwork(body.network),
      ports: canonicalPorts(body.ports),
      createdBy: actor.name,
      createdAt: toIsoTime(by.at),
    };
    const answer = new Answer(created, {
      status: 201,
      etag: REVISION,
      location: `/v1/networks/${created.id}`,
    });
    await transact(async (tx, recordEvents) => {
      requireNew(created, await listNetworks(tx));
      await insertNetwork(tx, created, { by: actor.name, atMs: by.at });
      await recordEvents(eventOf('network.created', created, by));
      await saveResponse(tx, answer);
    });
    allowedNetworks.add(created.id, created);
    onAllowed();
    return answer;
  }),

  route(
    networksApi.get,
    async ({ params }) => new Answer(await getNetwork(db, params.id), { etag: REVISION }),
  ),

  route(networksApi.remove, async ({ params, actor }) => {
    await transact(async (tx, recordEvents) => {
      const removed = await getNetwork(tx, params.id);
      await deleteNetwork(tx, removed.id);
      await recordEvents(eventOf('network.deleted', removed, { actor: partyOf(actor), at: now() }));
    });
    allowedNetworks.delete(params.id);
    return undefined;
  }),
];
