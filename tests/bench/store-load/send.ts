import { Agent, request as httpRequest } from 'node:http';
import { percentile } from '../data/percentile.ts';

/** Keeps as many connections as there are senders. */
export const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request and returns the text of its response. @throws if the status is not 2xx */
export const send = (
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ((answer.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`${method} ${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** The median duration of some work, in ms. */
export const timed = async (work: () => Promise<unknown>, times: number): Promise<number> => {
  const durations: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    await work();
    durations.push(performance.now() - begun);
  }
  return percentile(durations, 0.5);
};
