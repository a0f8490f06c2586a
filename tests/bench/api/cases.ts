import { GATEWAYS, SITES } from '../data/fill-devices.ts';
import type { Call } from './client.ts';

const idsOf = async (call: Call, path: string): Promise<string[]> => {
  const { data } = (await call(path)).json() as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

/** The path of a later page. With keyset paging, it costs the same as the first page. */
const middleOf = async (call: Call): Promise<string> => {
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`;
    cursor = (await call(`/v1/devices?limit=200${after}`)).json().nextCursor;
  }
  return `/v1/devices?limit=50&cursor=${cursor}`;
};

export type Case = (call: Call) => Promise<(round: number) => string>;
const fixed =
  (path: string): Case =>
  async () =>
  () =>
    path;
const eachOf =
  (list: string, path: (id: string) => string): Case =>
  async (call) => {
    const ids = await idsOf(call, list);
    return (round) => path(ids[round % ids.length] ?? '');
  };

export const cases: Record<string, Case> = {
  devices: fixed('/v1/devices'),
  'devices, second page': async (call) => {
    const path = await middleOf(call);
    return () => path;
  },
  'devices by last seen': fixed('/v1/devices?sort=-lastSeenAt'),
  'devices in one state': fixed('/v1/devices?state=never-seen'),
  'devices of one type': fixed('/v1/devices?type=pump'),
  'devices with a tag of 2 %': async () => (round) => `/v1/devices?tag=site:site-${round % SITES}`,
  'further page of a tag of 2 %': async (call) => {
    const path = '/v1/devices?tag=site:site-7';
    const { nextCursor } = (await call(`${path}&limit=200`)).json();
    return () => (nextCursor === null ? path : `${path}&cursor=${nextCursor}`);
  },
  'devices with a tag of 0.01 %': async () => (round) =>
    `/v1/devices?tag=gateway:gateway-${(round * 7) % GATEWAYS}`,
  'devices with two tags': async () => (round) =>
    `/v1/devices?tag=site:site-${round % SITES}&tag=gateway:gateway-${round % GATEWAYS}`,
  'devices with a tag of 2 % by last seen': async () => (round) =>
    `/v1/devices?tag=site:site-${round % SITES}&sort=-lastSeenAt`,
  'devices with a tag of 2 %, total *': async () => (round) =>
    `/v1/devices?tag=site:site-${round % SITES}&total=true`,
  'devices, q of 4 characters': async () => (round) => `/v1/devices?q=${1_000 + (round % 9_000)}`,
  'devices, q that matches all': fixed('/v1/devices?q=device'),
  'devices, q that matches all, total *': fixed('/v1/devices?q=device&total=true'),
  'devices, q of an external ID': async () => (round) => `/v1/devices?q=device-${100 + (round % 900)}`,
  'devices, q that matches none': fixed('/v1/devices?q=unknown'),
  'devices, q of 1 character *': async () => (round) => `/v1/devices?q=${round % 10}`,
  'devices with total *': fixed('/v1/devices?total=true'),
  'devices of one type with total *': fixed('/v1/devices?type=pump&total=true'),
  'devices silent for a day': fixed('/v1/devices?silentFor=86400'),
  'devices without a tag': fixed('/v1/devices?withoutTag=site'),
  types: fixed('/v1/devices/facets?by=type'),
  'tag keys': fixed('/v1/devices/facets?by=tag'),
  'types in one state': fixed('/v1/devices/facets?by=type&state=never-seen'),
  'values of a tag': fixed('/v1/devices/facets?by=tag:site'),
  'values of a tag, worst first': fixed('/v1/devices/facets?by=tag:site&sort=-offline'),
  'values of a tag by prefix': async () => (round) =>
    `/v1/devices/facets?by=tag:site&prefix=SITE-${round % 10}`,
  'values of a unique tag *': fixed('/v1/devices/facets?by=tag:serial'),
  'values of a tag, q of 4 characters *': async () => (round) =>
    `/v1/devices/facets?by=tag:site&q=${1_000 + (round % 9_000)}`,
  'one device': eachOf('/v1/devices?limit=200', (id) => `/v1/devices/${id}`),
  'metrics of a device': eachOf('/v1/devices?sort=createdAt&limit=200', (id) => `/v1/devices/${id}/metrics`),
  'latest values of a device': async () => (round) => `/v1/telemetry/latest?device=device-${round % 200}`,
  pipelines: fixed('/v1/pipelines'),
  'one pipeline': eachOf('/v1/pipelines', (id) => `/v1/pipelines/${id}`),
  'rejections of a pipeline': eachOf(
    '/v1/pipelines?q=pipeline%200&limit=1',
    (id) => `/v1/pipelines/${id}/rejections`,
  ),
  'API keys': fixed('/v1/api-keys'),
  'one API key': eachOf('/v1/api-keys', (id) => `/v1/api-keys/${id}`),
  webhooks: fixed('/v1/webhooks'),
  destinations: fixed('/v1/destinations'),
  'one destination': eachOf('/v1/destinations', (id) => `/v1/destinations/${id}`),
  events: fixed('/v1/events'),
  'events of one type': fixed('/v1/events?type=pipeline.created'),
  overview: fixed('/v1/overview'),
};
