import {
  DatabaseUnavailable,
  isSocketError,
} from '../../../platform/storage/dialects/database-unavailable.ts';
import { StorageFull, StoreBusy } from '../../../platform/storage/store-errors.ts';

/** Codes of https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp. */
export const CLICKHOUSE_CODE = {
  unknownTable: 60,
  unknownDatabase: 81,
  timeoutExceeded: 159,
  readOnly: 164,
  unknownUser: 192,
  wrongPassword: 193,
  requiredPassword: 194,
  memoryLimit: 241,
  accessDenied: 497,
  authenticationFailed: 516,
} as const;

/** A server cannot reach others of its cluster. */
const OTHERS_UNAVAILABLE = new Set([32, 209, 210, 279]);
/** The server cannot take writes or queries at the moment: a stopping server, a lost Keeper, a missing quorum. */
const UNAVAILABLE = new Set([...OTHERS_UNAVAILABLE, 225, 236, 242, 285, 286, 319, 999]);
/** Too many queries, or parts that are not merged yet. */
const BUSY = new Set([202, 252]);
const NOT_ENOUGH_SPACE = 243;
const NO_SPACE = /No space left on device/i;
/** Errors of the client without a code of the system. */
const NO_ANSWER = /^Timeout error|socket hang up|aborted/i;

/** An error that the server reported. */
export class ClickHouseFailure extends Error {
  override readonly name = 'ClickHouseFailure';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** `Code: 60. DB::Exception: …` of today, `Code: 60, e.displayText() = DB::Exception: …, e.what() = …` until 2022. */
const REPORTED =
  /Code: (\d+)[.,] (?:e\.displayText\(\) = )?DB::\w*Exception: ([^]*?)(?:, e\.what\(\) = [^]*)?\s*$/;

const reportedBy = (error: Error): ClickHouseFailure | undefined => {
  const [, number, message] = REPORTED.exec(error.message) ?? [];
  if (number !== undefined && message !== undefined)
    return new ClickHouseFailure(Number(number), message.slice(0, 500), { cause: error });
  const code = 'code' in error ? Number(error.code) : Number.NaN;
  return Number.isInteger(code) ? new ClickHouseFailure(code, error.message.slice(0, 500)) : undefined;
};

/** The error to throw for an error of the client of the server at `place`. */
export const explainClickHouse = (error: unknown, place: string): unknown => {
  if (!(error instanceof Error)) return error;
  const unavailable = (reason: string, cause: Error) =>
    new DatabaseUnavailable(place, reason, { product: 'ClickHouse', cause });
  if (isSocketError(error) || NO_ANSWER.test(error.message))
    return unavailable(error.message === '' && 'code' in error ? String(error.code) : error.message, error);
  const failure = reportedBy(error);
  if (failure === undefined) return error;
  if (failure.code === NOT_ENOUGH_SPACE || NO_SPACE.test(failure.message))
    return new StorageFull(failure.message, { cause: failure });
  if (UNAVAILABLE.has(failure.code)) return unavailable(failure.message, failure);
  if (BUSY.has(failure.code)) return new StoreBusy(failure.message, { cause: failure });
  return failure;
};

/** Whether the server answered, but could not reach another server of its cluster. */
export const isOtherServerUnavailable = ({ cause }: DatabaseUnavailable): boolean =>
  cause instanceof ClickHouseFailure && OTHERS_UNAVAILABLE.has(cause.code);
