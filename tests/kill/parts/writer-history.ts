import { Content, deviceOf, operationOf, type Operation } from './store-history.ts';

/** The answered operations of a writer, and the content of its device before and after the next operation. */
export class WriterHistory {
  readonly #seed: number;
  readonly #writer: number;
  readonly #content = new Content();
  /** The samples that the next operation removes. */
  #removed = new Content();
  answered = -1;
  before = this.#state();
  after = this.#state();

  constructor(seed: number, writer: number) {
    this.#seed = seed;
    this.#writer = writer;
    this.#applyNext();
  }

  #state() {
    return { fingerprint: this.#content.fingerprint, count: this.#content.count };
  }

  #next(): Operation {
    return operationOf(this.#seed, this.#writer, this.answered + 1);
  }

  #applyNext(): void {
    this.#removed = this.#content.apply(this.#next());
    this.after = this.#state();
  }

  advanceTo(answered: number): void {
    while (this.answered < answered) {
      this.answered += 1;
      this.before = this.after;
      this.#applyNext();
    }
  }

  /** How the stored content differs from the answered operations; undefined if it does not. */
  faultOf(found: Content): string | undefined {
    const { before, after } = this;
    if ([before.fingerprint, after.fingerprint].includes(found.fingerprint)) return undefined;
    const next = this.#next();
    const { count } = found;
    if ('remove' in next) {
      // A removal deletes in several transactions: some of its samples may be left, and all others must be.
      const left = found.remove(next.remove);
      if (found.fingerprint === after.fingerprint && this.#removed.includes(left)) return undefined;
    }
    return `${deviceOf(this.#writer)} holds ${count} samples, not the ${before.count} after operation ${this.answered}, nor the ${after.count} after the next one`;
  }
}
