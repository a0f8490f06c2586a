import type { Db } from '../platform/storage/database.ts';
import { insertSignin } from './session-store.ts';
import { mintToken } from './token.ts';

export const SIGNIN_MS = 600_000;

/** Name of the fact that holds the last URL of the service. `penstock signin` creates links with it. */
export const BASE_URL_FACT = 'base-url';

/** Creates a sign-in link that works once. The token is in the fragment, so no log and no Referer contains it. */
export const makeSigninLink = async (db: Db, baseUrl: string, nowMs: number): Promise<string> => {
  const { token, digest } = mintToken('signin');
  await insertSignin(db, digest, nowMs + SIGNIN_MS);
  return `${baseUrl}/#signin=${token}`;
};
