import { Agent, request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { RunningService } from '../../e2e/running-service.ts';

export const agent = new Agent({ keepAlive: true });

// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = { status: number; json: () => any };

/** Sends a request like a browser: it accepts a compressed response. */
export const ask = (
  service: RunningService,
  token: string,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = httpRequest(
      `${service.url}${path}`,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === 'GET' ? { 'accept-encoding': 'gzip' } : {}),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const read = Buffer.concat(chunks);
          const isZipped = answer.headers['content-encoding'] === 'gzip';
          resolve({
            status: answer.statusCode ?? 0,
            json: () => JSON.parse((isZipped ? gunzipSync(read) : read).toString()),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });

export type Call = (path: string, method?: string, body?: unknown) => Promise<Answer>;
