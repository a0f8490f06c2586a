/** What a birth says about an alias. */
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
  /** The aliases of the node (under an empty name) and of its devices. */
  readonly births: Map<string, ReadonlyMap<string, BornMetric>>;
};

/** The limits of one pipeline: its edge nodes, and the metrics in their births. */
const MAX_NODES = 1_000;
const MAX_METRICS = 100_000;
const REBIRTH_EVERY_MS = 10_000;

/**
 * The edge nodes of a pipeline, in memory. Births are not retained, and aliases may change with each of them. So they are not
 * kept across connections: a node is asked for a new birth.
 */
export type SparkplugSessions = {
  find(node: string): Session | undefined;
  /** Begins a session with the birth of a node. Returns false if there is no room. */
  begin(node: string, bdSeq: number | undefined, metrics: ReadonlyMap<string, BornMetric>): boolean;
  /** Adds the birth of a device. Returns false if there is no room. */
  addBirth(node: string, device: string, metrics: ReadonlyMap<string, BornMetric>): boolean;
  /** Ends the session of a node, or removes a device of it. */
  end(node: string, device?: string): void;
  /** Asks a node for a new birth, at most every 10 seconds. */
  requestRebirth(node: string, nowMs: number): void;
  /** Forgets all nodes: messages may have been missed. */
  reset(): void;
};

const sizeOf = ({ births }: Session): number =>
  [...births.values()].reduce((sum, metrics) => sum + metrics.size, 0);

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
      size -= session.births.get(device)?.size ?? 0;
      session.births.delete(device);
    }
  };
  const addBirth: SparkplugSessions['addBirth'] = (node, device, metrics) => {
    const session = sessions.get(node);
    const before = session?.births.get(device)?.size ?? 0;
    if (session === undefined || size - before + metrics.size > MAX_METRICS) return false;
    size += metrics.size - before;
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
