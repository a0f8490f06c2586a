/** Coordinates the processes that write to one store of telemetry, whose server has no locks. */
export type WriteCoordinator = {
  /** Runs a write while no process removes series. `generation` changes with each removal. */
  share<T>(write: (generation: number) => Promise<T>): Promise<T>;
  /** Runs a step of a removal while no process writes. */
  stopWrites<T>(step: () => Promise<T>): Promise<T>;
  /** Runs a step of a write in one process at a time. */
  inTurn<T>(step: () => Promise<T>): Promise<T>;
};

/** For a process that has the store for itself. */
export const soleWriter: WriteCoordinator = {
  share: (write) => write(0),
  stopWrites: (step) => step(),
  inTurn: (step) => step(),
};
