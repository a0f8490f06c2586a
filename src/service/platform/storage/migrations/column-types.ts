import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isPostgres } from '../dialects/is-postgres.ts';

type ColumnType = 'text' | 'integer' | RawBuilder<unknown>;

/** Text is compared by its bytes, as in SQLite, whatever the locale of the database. */
export const textOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`text collate "C"` : 'text');

export const counterOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`bigserial` : 'integer');
