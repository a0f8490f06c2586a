const oddNumber = (): number => Math.floor(Math.random() * 2 ** 31) * 2 + 1;

/** Odd and different in each process, so that no sender can choose names or values that share a slot of a hash table. */
export const HASH_SEEDS = [oddNumber(), oddNumber(), oddNumber()] as const;
