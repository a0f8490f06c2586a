import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isPostgres } from '../dialects/is-postgres.ts';

type ColumnType = 'text' | 'integer' | RawBuilder<unknown>;

/** Text is compared by its bytes, as SQLite does, whatever the language of the database is. */
export const textOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`text collate "C"` : 'text');

export const counterOf = (db: Kysely<unknown>): ColumnType => (isPostgres(db) ? sql`bigserial` : 'integer');
