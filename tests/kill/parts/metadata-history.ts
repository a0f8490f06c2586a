export const kinds = ['devices', 'pipelines', 'api-keys'] as const;
export type Kind = (typeof kinds)[number];

/** The parts of a device, a pipeline or an API key that are compared. */
export type Item = {
  readonly name: string;
  readonly tags?: object;
  readonly enabled?: boolean;
  readonly revokedAt?: string | null;
};

export const ABSENT = 'absent';
const describeItem: Record<Kind, (item: Item) => string> = {
  devices: ({ name, tags }) => `${name} ${JSON.stringify(tags)}`,
  pipelines: ({ name, enabled }) => `${name} (${enabled === true ? 'enabled' : 'paused'})`,
  'api-keys': ({ name, revokedAt }) => `${name} (${revokedAt == null ? 'valid' : 'revoked'})`,
};
export const stateOf = (kind: Kind, item: Item | undefined): string =>
  item === undefined ? ABSENT : describeItem[kind](item);

const NEW_NAME = ', renamed';
export const renamed = (name: string): string => `${name}${NEW_NAME}`;
/** The first name of an item, which identifies it. */
export const firstName = ({ name }: Item): string => name.replace(NEW_NAME, '');

export type ExpectedMetadata = {
  /** The states that each item may have, by its first name. */
  readonly states: Readonly<Record<Kind, ReadonlyMap<string, readonly string[]>>>;
  /** Of the API keys, by first name. */
  readonly secrets: ReadonlyMap<string, string>;
};

type Change = { readonly state: string; answeredAtMs: number };

/** All changes of items by a client, in their order. */
export const createMetadataHistory = () => {
  const changes = { devices: new Map(), pipelines: new Map(), 'api-keys': new Map() } satisfies Record<
    Kind,
    Map<string, Change[]>
  > as Record<Kind, Map<string, Change[]>>;
  const secrets = new Map<string, string>();
  const statesOf = (kind: Kind, beforeMs: number) =>
    changes[kind].entries().map(([name, ofItem]) => {
      const last = ofItem.findLastIndex(({ answeredAtMs }) => answeredAtMs < beforeMs);
      return [name, ofItem.slice(last).map(({ state }) => state)] as const;
    });
  return {
    secrets,
    /** Records a change that is about to be sent. The returned function records its answer. */
    begin: (kind: Kind, name: string, after: Item | undefined): (() => void) => {
      const ofItem = changes[kind].get(name) ?? [{ state: ABSENT, answeredAtMs: 0 }];
      changes[kind].set(name, ofItem);
      const change = { state: stateOf(kind, after), answeredAtMs: Infinity };
      ofItem.push(change);
      return () => void (change.answeredAtMs = Date.now());
    },
    /** Of each item the last state that was answered before a time, and the later ones that were sent until now. */
    expectedAt: (beforeMs: number): ExpectedMetadata => ({
      secrets: new Map(secrets),
      states: {
        devices: new Map(statesOf('devices', beforeMs)),
        pipelines: new Map(statesOf('pipelines', beforeMs)),
        'api-keys': new Map(statesOf('api-keys', beforeMs)),
      },
    }),
  };
};
export type MetadataHistory = ReturnType<typeof createMetadataHistory>;
