import { foldCase } from '#contract/fold-case.ts';
import type { Secrets } from '../../platform/secrets/stored-secrets.ts';
import { newId } from '../../platform/storage/new-id.ts';
import type { DestinationRow } from './destination-store.ts';

export const nameColumns = (name: string) => ({ name, name_key: foldCase(name) });

type Connection = { url: string | null; options: Record<string, unknown>; secrets: Secrets };

export const connectionColumns = ({ url, options, secrets }: Connection) => ({
  url,
  options: JSON.stringify(options),
  secrets: JSON.stringify(secrets),
});

/** The row of a new destination, without a known state. */
export const newDestinationRow = (
  { name, type, ...connection }: Connection & { name: string; type: string },
  nowMs: number,
): DestinationRow => ({
  id: newId('dst'),
  ...nameColumns(name),
  type,
  ...connectionColumns(connection),
  state: 'healthy',
  last_error_at: null,
  last_error: null,
  last_delivered_at: null,
  created_at: nowMs,
  updated_at: nowMs,
  revision: 1,
});
