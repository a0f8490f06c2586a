import { DeliveryFailure } from './destination.ts';
import { raceAbort } from '../connections/race-abort.ts';

/** A connection that is reused for the next delivery. */
export type KeptConnection = {
  /** Aborts when the connection is lost. The reason is a DeliveryFailure. */
  readonly lost: AbortSignal;
  /** Closes the connection immediately, so that nothing more is sent. */
  drop(): void;
  /** Closes the connection gracefully. */
  end(): Promise<void>;
};

const MOST_IDLE = 4;

/** `most`: connections in use at once; further deliveries wait. */
type Options = { readonly host: string; readonly most?: number };

/**
 * Connections to one host, each used by one delivery at a time, so that a delivery that hangs or fails affects no
 * other. A failed connection is dropped, so that nothing is sent after its delivery was given up.
 */
export const createConnectionPool = <C extends KeptConnection>(
  { host, most = Infinity }: Options,
  open: (signal: AbortSignal) => Promise<C>,
) => {
  let idle: C[] = [];
  const waiting: (() => void)[] = [];
  let used = 0;
  const isFull = (): boolean => used >= most;

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
      // Closes a connection that opens too late.
      opening.then((connection) => connection.drop()).catch(() => undefined);
      throw error;
    }
  };

  const takeIdle = (): C | undefined => {
    idle = idle.filter(({ lost }) => !lost.aborted);
    return idle.pop();
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
    /** Opens a separate connection, which the caller closes. @throws DeliveryFailure */
    connect,
    /** Runs work over an idle connection, or a new one. @throws DeliveryFailure */
    use: async <T>(signal: AbortSignal, work: (connection: C) => Promise<T>): Promise<T> => {
      while (isFull()) await inTime(new Promise<void>((resolve) => waiting.push(resolve)), signal);
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
