import type { Selectable } from 'kysely';
import type { Db } from '../platform/storage/database.ts';
import type { SessionTable } from './session-table.ts';
import { newId } from '../platform/storage/new-id.ts';

export type SessionRow = Selectable<SessionTable>;

export const insertSession = async (db: Db, session: Omit<SessionRow, 'id'>): Promise<string> => {
  const id = newId('ses');
  await db
    .insertInto('session')
    .values({ id, ...session })
    .execute();
  return id;
};

export const findSession = (db: Db, digest: string): Promise<SessionRow | undefined> =>
  db.selectFrom('session').selectAll().where('digest', '=', digest).executeTakeFirst();

export const updateSession = async (
  db: Db,
  id: string,
  change: Partial<Pick<SessionRow, 'label' | 'last_used_at'>>,
): Promise<void> => {
  await db.updateTable('session').set(change).where('id', '=', id).execute();
};

export const deleteSession = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('session').where('id', '=', id).execute();
};

/** Deletes all sessions of a key. Returns their IDs. */
export const deleteSessionsOfKey = async (db: Db, keyId: string): Promise<string[]> => {
  const sessions = await db.selectFrom('session').select('id').where('key_id', '=', keyId).execute();
  await db.deleteFrom('session').where('key_id', '=', keyId).execute();
  return sessions.map(({ id }) => id);
};

/** Deletes expired sessions and sign-in tokens. */
export const deleteExpired = async (db: Db, nowMs: number): Promise<void> => {
  await db.deleteFrom('session').where('expires_at', '<', nowMs).execute();
  await db
    .deleteFrom('signin')
    .where('expires_at', '<', nowMs - 86_400_000)
    .execute();
};

export const insertSignin = async (db: Db, digest: string, expiresAt: number): Promise<void> => {
  await db.insertInto('signin').values({ digest, expires_at: expiresAt, used_at: null }).execute();
};

/** Marks a sign-in token as used. Returns true for exactly one caller, even if several use it at once. */
export const consumeSignin = async (db: Db, digest: string, nowMs: number): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('signin')
    .set({ used_at: nowMs })
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
};

export const hasSignin = async (db: Db, digest: string): Promise<boolean> =>
  (await db.selectFrom('signin').select('digest').where('digest', '=', digest).executeTakeFirst()) !==
  undefined;

/** True until the first sign-in. */
export const isUntouched = async (db: Db): Promise<boolean> => {
  const [used, key] = [
    await db
      .selectFrom('signin')
      .select('digest')
      .where('used_at', 'is not', null)
      .limit(1)
      .executeTakeFirst(),
    await db.selectFrom('api_key').select('id').limit(1).executeTakeFirst(),
  ];
  const session = await db.selectFrom('session').select('id').limit(1).executeTakeFirst();
  return used === undefined && key === undefined && session === undefined;
};
