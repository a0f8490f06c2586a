import { DeliveryFailure } from './destination.ts';
import { raceAbort } from './race-abort.ts';

/** A connection that is kept from one delivery to the next. */
export type KeptConnection = {
  /** Ends when the connection does; its reason is a DeliveryFailure. */
  readonly lost: AbortSignal;
  /** Cuts it at once, so that nothing more goes out by it. */
  drop(): void;
  /** Ends it in peace. */
  end(): Promise<void>;
};

const MOST_IDLE = 4;

/** `most`: connections in use at once; further deliveries wait. */
type Options = { readonly host: string; readonly most?: number };

/**
 * Connections to one host, each used by one delivery at a time: what hangs or fails takes no other delivery along. One
 * that failed is cut, so that nothing is sent by it after the delivery was given up.
 */
export const createConnectionPool = <C extends KeptConnection>(
  { host, most = Infinity }: Options,
  open: (signal: AbortSignal) => Promise<C>,
) => {
  const idle: C[] = [];
  const waiting: (() => void)[] = [];
  let used = 0;

  /** @throws DeliveryFailure */
  const inTime = async <T>(work: Promise<T>, signal: AbortSignal, ...others: AbortSignal[]): Promise<T> => {
    try {
      return await raceAbort(work, signal, ...others);
    } catch (error) {
      if (!signal.aborted || error instanceof DeliveryFailure) throw error;
      throw new DeliveryFailure('unavailable', `${host} timed out before acknowledging.`, {
        cause: error,
      });
    }
  };

  const connect = async (signal: AbortSignal): Promise<C> => {
    const opening = open(signal);
    try {
      return await inTime(opening, signal);
    } catch (error) {
      // One that is there after all is of no use any more.
      opening.then((connection) => connection.drop()).catch(() => undefined);
      throw error;
    }
  };

  const takeIdle = (): C | undefined => {
    for (;;) {
      const connection = idle.pop();
      if (connection?.lost.aborted !== true) return connection;
    }
  };

  const run = async <T>(signal: AbortSignal, work: (connection: C) => Promise<T>): Promise<T> => {
    const connection = takeIdle() ?? (await connect(signal));
    try {
      const result = await inTime(work(connection), signal, connection.lost);
      if (idle.length < MOST_IDLE) idle.push(connection);
      else void connection.end();
      return result;
    } catch (error) {
      connection.drop();
      throw error;
    }
  };

  return {
    /** A connection of its own, which the caller ends. @throws DeliveryFailure */
    connect,
    /** Does something over a connection that is left from before, or a new one. @throws DeliveryFailure */
    use: async <T>(signal: AbortSignal, work: (connection: C) => Promise<T>): Promise<T> => {
      while (used >= most) await inTime(new Promise<void>((resolve) => waiting.push(resolve)), signal);
      used += 1;
      try {
        return await run(signal, work);
      } finally {
        used -= 1;
        for (const wake of waiting.splice(0)) wake();
      }
    },
    close: async (): Promise<void> => {
      await Promise.all(idle.splice(0).map((connection) => connection.end()));
    },
  };
};
