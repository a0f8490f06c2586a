import { Client } from 'pg';

/** A connection to PostgreSQL, which the caller ends. */
export const connectTo = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
};

/** Runs SQL on a connection of its own. */
export const runOn = async (url: string, sql: string): Promise<void> => {
  const client = await connectTo(url);
  await client.query(sql);
  await client.end();
};
