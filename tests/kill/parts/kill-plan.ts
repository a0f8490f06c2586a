import { seededRandom } from './seeded-random.ts';

export type PartName = 'service' | 'broker' | 'influxd' | 'postgres' | 'nats';

/**
 * When the service is killed. `answering`: when the client receives an acknowledgement. `delivering`: during a delivery.
 * `hanging`: while its destinations are suspended during a delivery, which they accept after the kill. `committing`: while
 * its database is locked, so that it cannot commit what it received or delivered. `rejecting`: likewise, after it has
 * stopped waiting for the lock. `starting`: a second time, while it starts.
 */
export type Moment = 'any' | 'answering' | 'delivering' | 'hanging' | 'committing' | 'rejecting' | 'starting';

export type Kill = {
  readonly parts: readonly PartName[];
  readonly moment: Moment;
  /** How long to wait before the kill is aimed at its moment. */
  readonly pauseMs: number;
  readonly aimMs: number;
  /** How long each part stays down. */
  readonly downMs: readonly number[];
  /** The number of the acknowledgement. */
  readonly answers: number;
  /** How long commits or deliveries are blocked before the kill. */
  readonly lockMs: number;
  /** When to kill the starting service, as a share from 0 to 1 of the duration of its last start. */
  readonly startShare: number;
};

const PAUSE_MS = [300, 3_000] as const;
const AIM_MS = [0, 40] as const;
const ANSWERS = [1, 60] as const;
const LOCK_MS = [50, 1_500] as const;
/** The service waits 5 s. */
const LONG_LOCK_MS = [5_300, 6_500] as const;
const DOWN_MS = [0, 2_500] as const;
const DESTINATIONS: readonly PartName[] = ['influxd', 'postgres', 'nats'];

/** Each round of 13 kills includes every part, in a random order. */
const roundOf = (pick: <T>(items: readonly T[]) => T): [readonly PartName[], Moment][] => [
  [['service'], 'any'],
  [['service'], 'answering'],
  [['service'], 'answering'],
  [['service'], 'hanging'],
  [['service'], 'committing'],
  [['service'], 'rejecting'],
  [['service'], 'starting'],
  [['broker'], 'any'],
  [['influxd'], 'delivering'],
  [['postgres'], 'delivering'],
  [['nats'], 'delivering'],
  [['service', pick(DESTINATIONS)], 'delivering'],
  [['broker', pick(['service', ...DESTINATIONS] as const)], 'any'],
];

/** Plans the same kills for the same seed. */
export const planKills = (times: number, seed: number): Kill[] => {
  const random = seededRandom(seed);
  const between = ([least, most]: readonly [number, number]) => Math.round(least + random() * (most - least));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const kills: Kill[] = [];
  while (kills.length < times) {
    const round = roundOf(pick)
      .map((kill) => ({ kill, order: random() }))
      .toSorted((a, b) => a.order - b.order);
    for (const {
      kill: [parts, moment],
    } of round)
      kills.push({
        parts,
        moment,
        pauseMs: between(PAUSE_MS),
        aimMs: between(AIM_MS),
        downMs: parts.map(() => between(DOWN_MS)),
        answers: between(ANSWERS),
        lockMs: between(moment === 'rejecting' ? LONG_LOCK_MS : LOCK_MS),
        startShare: random(),
      });
  }
  return kills.slice(0, times);
};
