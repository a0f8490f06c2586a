import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { DestinationOptions } from '#contract/destination-types.ts';
import { destinationKind } from './destination.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { connectionFailureOf } from './delivery-failure-of.ts';
import { basicAuthorization, destinationAddress } from './destination-address.ts';
import { influxdbFailure } from './influxdb-failure.ts';
import { lineProtocol } from './line-protocol-writer.ts';
import { raceAbort } from '../connections/race-abort.ts';

const compress = promisify(gzip);

/** Smaller requests fit in a few packets uncompressed. */
const COMPRESS_FROM_BYTES = 4_096;
const MOST_ANSWER_BYTES = 65_536;
/** The callers have shorter timeouts. */
const CALL_WITHIN_MS = 600_000;
/** A comment line: InfluxDB checks the credentials, the database and the write access, and writes nothing. */
const COMMENT = '# penstock\n';
/** The response of InfluxDB 2 to a write without samples, if everything else is correct. */
const NO_SAMPLES = /requires points|no points|no data/i;

type Options = DestinationOptions<'influxdb'>;

/** The URL of the write endpoint, below the path of the server URL. */
const writeUrlOf = (base: URL, { database, organization, bucket }: Options): URL => {
  const url = new URL(base);
  const isSecond = bucket !== undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${isSecond ? '/api/v2/write' : '/write'}`;
  const place = isSecond ? { org: organization ?? '', bucket } : { db: database ?? '' };
  for (const [name, value] of Object.entries({ ...place, precision: 'ms' }))
    url.searchParams.set(name, value);
  return url;
};

type Credentials = Pick<ReturnType<typeof destinationAddress>, 'username' | 'password'>;

const authorizationOf = (
  { token }: Options,
  { username, password = '' }: Credentials,
): string | undefined => {
  if (token !== undefined) return `Token ${token}`;
  if (username === undefined) return undefined;
  return basicAuthorization(username, password);
};

/** Reads the beginning of a response, at most `mostBytes`. Does not wait for the rest. */
const readAnswer = async (body: Readable, mostBytes: number, signal: AbortSignal): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  const read = async () => {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostBytes) return;
    }
  };
  try {
    await raceAbort(read(), signal);
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
};

export const influxdbDestination = destinationKind({
  type: 'influxdb',
  label: 'InfluxDB',
  description: 'Writes line protocol to InfluxDB.',
  open: ({ url: text, options, outbound, now }) => {
    const address = destinationAddress(text, options);
    const { host } = address;
    const url = writeUrlOf(address.url, options);
    const authorization = authorizationOf(options, address);
    const secrets = [options.token, address.password, authorization];
    const place = options.bucket === undefined ? `database ${options.database}` : `bucket ${options.bucket}`;

    const post = async (lines: string, signal: AbortSignal) => {
      try {
        const isLarge = lines.length >= COMPRESS_FROM_BYTES;
        const body = isLarge ? await compress(lines) : lines;
        const calling = outbound.call(url, {
          method: 'POST',
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            ...(isLarge ? { 'content-encoding': 'gzip' } : {}),
            ...(authorization === undefined ? {} : { authorization }),
          },
          body,
          signal,
          timeoutMs: CALL_WITHIN_MS,
        });
        const answer = await raceAbort(calling, signal);
        return { ...answer, text: await readAnswer(answer.body, MOST_ANSWER_BYTES, signal) };
      } catch (error) {
        throw connectionFailureOf(error, host, signal);
      }
    };
    const failed = (answer: Awaited<ReturnType<typeof post>>) =>
      influxdbFailure(answer, answer.text, { host, secrets, nowMs: now() });

    return {
      deliver: async ({ samples }, signal) => {
        const lines = lineProtocol(samples, options.measurement);
        if (lines === '') return;
        const answer = await post(lines, signal);
        if (answer.statusCode !== 204) throw failed(answer);
      },
      probe: async (signal) => {
        const answer = await post(COMMENT, signal);
        const { statusCode } = answer;
        if (statusCode !== 204 && !(statusCode === 400 && NO_SAMPLES.test(answer.text))) throw failed(answer);
        const version = answer.headers['x-influxdb-version'];
        const name = typeof version === 'string' ? `InfluxDB ${quoteAnswer(version, secrets)}` : host;
        return `Connected to ${name}. The ${place} accepts samples.`;
      },
      // Each request has its own connection, which is closed already.
      close: async () => undefined,
    };
  },
});
