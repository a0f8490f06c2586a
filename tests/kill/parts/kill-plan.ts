import { chanceOf } from './chance.ts';

export type PartName = 'service' | 'broker' | 'influxd' | 'postgres' | 'nats';

/**
 * `answering`: as soon as the client hears an acknowledgement; `delivering`: while values go out; `hanging`: while its
 * destinations stand still with what is being delivered, which they take after its end; `committing`: while its
 * database is locked, so that what it sends and takes cannot be committed; `refusing`: likewise, after it has given up
 * waiting for that; `starting`: once more while it starts.
 */
export type Moment = 'any' | 'answering' | 'delivering' | 'hanging' | 'committing' | 'refusing' | 'starting';

export type Kill = {
  readonly parts: readonly PartName[];
  readonly moment: Moment;
  /** Called before the kill, and at the moment of the kill. */
  readonly pauseMs: number;
  readonly aimMs: number;
  /** How long each stays away. */
  readonly downMs: readonly number[];
  /** The number of the acknowledgement. */
  readonly answers: number;
  /** How long nothing can be committed, or delivered, before it. */
  readonly lockMs: number;
  /** When to kill the start: a share from 0 to 1 of the duration of the last one. */
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

/** In each thirteen kills every part is hit, in another order each time. */
const roundOf = (pick: <T>(items: readonly T[]) => T): [readonly PartName[], Moment][] => [
  [['service'], 'any'],
  [['service'], 'answering'],
  [['service'], 'answering'],
  [['service'], 'hanging'],
  [['service'], 'committing'],
  [['service'], 'refusing'],
  [['service'], 'starting'],
  [['broker'], 'any'],
  [['influxd'], 'delivering'],
  [['postgres'], 'delivering'],
  [['nats'], 'delivering'],
  [['service', pick(DESTINATIONS)], 'delivering'],
  [['broker', pick(['service', ...DESTINATIONS] as const)], 'any'],
];

/** The same kills for the same seed. */
export const planKills = (times: number, seed: number): Kill[] => {
  const chance = chanceOf(seed);
  const between = ([least, most]: readonly [number, number]) => Math.round(least + chance() * (most - least));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(chance() * items.length)]!;
  const kills: Kill[] = [];
  while (kills.length < times) {
    const round = roundOf(pick)
      .map((kill) => ({ kill, order: chance() }))
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
        lockMs: between(moment === 'refusing' ? LONG_LOCK_MS : LOCK_MS),
        startShare: chance(),
      });
  }
  return kills.slice(0, times);
};
