/** What holds the connection: a transaction, or a statement of its own. */
type Holder = 'transaction' | 'statement';

/** How long waiters may continue one after another within one turn of the event loop. */
const MAX_TURN_MS = 8;

/**
 * Held by one transaction or statement at a time. Each kind waits in the order of its arrival. After a transaction, the
 * statements that have waited meanwhile go first: a read waits for one transaction, however many are queued, and a
 * transaction for the statements that waited before it.
 */
export class ConnectionMutex {
  readonly #waiting: Record<Holder, (() => void)[]> = { transaction: [], statement: [] };
  #holder: Holder | undefined;
  /** How many statements go before the next transaction. */
  #statementsFirst = 0;
  /** When the first holder of this turn of the event loop took over. */
  #turnBegan: number | undefined;

  async acquire(holder: Holder): Promise<void> {
    const { transaction, statement } = this.#waiting;
    if (holder === 'transaction' && this.#holder === 'statement' && transaction.length === 0)
      this.#statementsFirst = statement.length;
    if (this.#holder !== undefined)
      await new Promise<void>((resolve) => {
        this.#waiting[holder].push(resolve);
      });
    this.#holder = holder;
  }

  release(): void {
    const { transaction, statement } = this.#waiting;
    if (this.#holder === 'transaction') this.#statementsFirst = statement.length;
    const isStatementNext = statement.length > 0 && (this.#statementsFirst > 0 || transaction.length === 0);
    const next = isStatementNext ? statement.shift() : transaction.shift();
    if (isStatementNext) this.#statementsFirst = Math.max(0, this.#statementsFirst - 1);
    if (next === undefined) this.#holder = undefined;
    else this.#handOver(next);
  }

  /** Waiters continue as microtasks: a long queue of them would keep the event loop from everything else. */
  #handOver(next: () => void): void {
    const now = performance.now();
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now;
      setImmediate(() => {
        this.#turnBegan = undefined;
      });
    }
    if (now - this.#turnBegan < MAX_TURN_MS) next();
    else setImmediate(next);
  }
}
