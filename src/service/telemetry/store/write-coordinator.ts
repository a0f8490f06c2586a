/** Coordinates the processes that write to one telemetry store whose server has no locks. */
export type WriteCoordinator = {
  /** Runs a write while no process removes series. `generation` changes with each removal. */
  share<T>(write: (generation: number) => Promise<T>): Promise<T>;
  /** Runs a step of a removal while no process writes. */
  stopWrites<T>(step: () => Promise<T>): Promise<T>;
  /** Runs a step that creates series, in one process at a time. */
  lockSeriesCreation<T>(step: () => Promise<T>): Promise<T>;
};

/** For a process that has the store for itself. */
export const soleWriter: WriteCoordinator = {
  share: (write) => write(0),
  stopWrites: (step) => step(),
  lockSeriesCreation: (step) => step(),
};
