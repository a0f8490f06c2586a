import type { Db } from '../platform/storage/database.ts';
import { insertSignin } from './session-store.ts';
import { mintToken } from './token.ts';

export const SIGNIN_MS = 600_000;

/** Name of the fact that says under which address the service last ran: what `npm run signin` makes its link with. */
export const BASE_URL_FACT = 'base-url';

/** A fresh one-use sign-in link. The token stands in the fragment: in no server log and no Referer. */
export const makeSigninLink = async (db: Db, baseUrl: string, nowMs: number): Promise<string> => {
  const { token, digest } = mintToken('signin');
  await insertSignin(db, digest, nowMs + SIGNIN_MS);
  return `${baseUrl}/#signin=${token}`;
};
