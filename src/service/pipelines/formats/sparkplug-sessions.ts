/** The metric that a birth assigns to an alias. */
export type BornMetric = {
  readonly name: string;
  readonly datatype: number | undefined;
  readonly unit: string | undefined;
};

/** An edge node since its birth. */
type Session = {
  /** The sequence number of its last message; undefined: a birth is missing. */
  seq: number | undefined;
  readonly bdSeq: number | undefined;
  /** The metrics of the node (under an empty name) and of its devices, by name and by alias. */
  readonly births: Map<string, ReadonlyMap<string, BornMetric>>;
};

/** The limits of one pipeline: the number of edge nodes, and the approximate memory of their births. */
const MAX_NODES = 1_000;
const MAX_BYTES = 16_777_216;
const BYTES_PER_BIRTH = 200;
const BYTES_PER_METRIC = 100;
const REBIRTH_EVERY_MS = 10_000;

/**
 * The edge nodes of a pipeline, in memory. Births are not retained, and aliases may change with each of them. So
 * births are not kept across connections: Penstock requests a new birth from each node.
 */
export type SparkplugSessions = {
  find(node: string): Session | undefined;
  /** Begins a session with the birth of a node. Returns false if there is no room. */
  begin(node: string, bdSeq: number | undefined, metrics: ReadonlyMap<string, BornMetric>): boolean;
  /** Adds the birth of a device. Returns false if there is no room. */
  addBirth(node: string, device: string, metrics: ReadonlyMap<string, BornMetric>): boolean;
  /** Ends the session of a node, or removes a device of it. */
  end(node: string, device?: string): void;
  /** Requests a new birth from a node, at most every 10 seconds. */
  requestRebirth(node: string, nowMs: number): void;
  /** Removes all nodes, because messages may have been missed. */
  reset(): void;
};

/** The approximate number of bytes of a birth in memory. */
const sizeOfBirth = (metrics: ReadonlyMap<string, BornMetric> | undefined): number =>
  metrics === undefined
    ? 0
    : [...metrics.values()].reduce(
        (sum, { name, unit }) => sum + BYTES_PER_METRIC + 2 * (name.length + (unit?.length ?? 0)),
        BYTES_PER_BIRTH,
      );

const sizeOf = ({ births }: Session): number =>
  [...births.values()].reduce((sum, metrics) => sum + sizeOfBirth(metrics), 0);

/** `onRebirth`: called with the node (`group/node`) that must send its birth again. */
export const createSparkplugSessions = (onRebirth: (node: string) => void): SparkplugSessions => {
  const sessions = new Map<string, Session>();
  const requestedAt = new Map<string, number>();
  let size = 0;

  const end: SparkplugSessions['end'] = (node, device) => {
    const session = sessions.get(node);
    if (session === undefined) return;
    if (device === undefined) {
      size -= sizeOf(session);
      sessions.delete(node);
    } else {
      size -= sizeOfBirth(session.births.get(device));
      session.births.delete(device);
    }
  };
  const addBirth: SparkplugSessions['addBirth'] = (node, device, metrics) => {
    const session = sessions.get(node);
    const before = sizeOfBirth(session?.births.get(device));
    const after = sizeOfBirth(metrics);
    if (session === undefined) return false;
    if (size - before + after > MAX_BYTES) {
      // The aliases of the previous birth may name other metrics.
      end(node, device);
      return false;
    }
    size += after - before;
    session.births.set(device, metrics);
    return true;
  };
  return {
    find: (node) => sessions.get(node),
    begin: (node, bdSeq, metrics) => {
      end(node);
      if (sessions.size >= MAX_NODES) return false;
      sessions.set(node, { seq: undefined, bdSeq, births: new Map() });
      if (addBirth(node, '', metrics)) return true;
      end(node);
      return false;
    },
    addBirth,
    end,
    requestRebirth: (node, nowMs) => {
      const before = requestedAt.get(node);
      if (before !== undefined && nowMs >= before && nowMs - before < REBIRTH_EVERY_MS) return;
      if (requestedAt.size >= MAX_NODES) requestedAt.clear();
      requestedAt.set(node, nowMs);
      onRebirth(node);
    },
    reset: () => {
      sessions.clear();
      requestedAt.clear();
      size = 0;
    },
  };
};
