/** For each connection: compiling a query, or starting parallel workers, takes longer than most reads. */
export const TELEMETRY_SETTINGS = 'set jit = off; set max_parallel_workers_per_gather = 0';

/** For transactions that look up few samples. The planner does not know how few, and would read whole partitions. */
export const BY_INDEX = 'set local enable_hashjoin = off; set local enable_mergejoin = off';
