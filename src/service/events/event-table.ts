import type { Generated } from 'kysely';

export type EventTable = {
  /** Increases with each event. Determines the order of the log. */
  seq: Generated<number>;
  id: string;
  at: number;
  type: string;
  subject_type: string;
  subject_id: string;
  subject_name: string;
  actor_type: string | null;
  actor_id: string | null;
  actor_name: string | null;
  data: string;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    event: EventTable;
  }
}
