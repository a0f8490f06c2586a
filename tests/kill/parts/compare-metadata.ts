import type { KillableService } from './killable-service.ts';
import { listAll } from './list-all.ts';
import { ABSENT, firstName, kinds, stateOf, type ExpectedMetadata, type Item } from './metadata-history.ts';

/** Valid keys must be accepted, revoked ones rejected. */
const tryKeys = async (
  service: KillableService,
  keys: readonly Item[],
  secrets: ReadonlyMap<string, string>,
): Promise<string[]> => {
  const faults: string[] = [];
  for (const key of keys) {
    const secret = secrets.get(firstName(key));
    if (secret === undefined) continue;
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${service.url}/v1/devices?limit=1`, { headers });
    await response.body?.cancel();
    const expected = key.revokedAt === null ? 200 : 401;
    if (response.status !== expected)
      faults.push(`${stateOf('api-keys', key)} is answered with ${response.status} instead of ${expected}`);
  }
  return faults;
};

/** Compares the devices, pipelines and API keys of a service with those that a client created. */
export const compareMetadata = async (
  service: KillableService,
  { states, secrets }: ExpectedMetadata,
): Promise<{ items: number; faults: string[] }> => {
  const faults: string[] = [];
  let items = 0;
  for (const kind of kinds) {
    const found = new Map(
      (await listAll<Item>(service, `/v1/${kind}`)).map((item) => [firstName(item), item]),
    );
    for (const [name, allowed] of states[kind]) {
      const state = stateOf(kind, found.get(name));
      if (state !== ABSENT) items += 1;
      if (!allowed.includes(state)) faults.push(`${kind}: ${name} is ${state}, not ${allowed.join(' or ')}`);
    }
    for (const name of found.keys())
      if (name.startsWith('Device ') || kind !== 'devices')
        if (!states[kind].has(name)) faults.push(`${kind}: ${name} was never created`);
    if (kind === 'api-keys') faults.push(...(await tryKeys(service, [...found.values()], secrets)));
  }
  return { items, faults };
};
