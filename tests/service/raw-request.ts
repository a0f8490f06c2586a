import { connect } from 'node:net';

type RawAnswer = { status: number; headers: ReadonlyMap<string, string>; text: string };

/** Sends bytes as they are and gives back the answer, once the connection is closed or `enough` has come. */
export const rawRequest = (
  url: string,
  text: string | Uint8Array,
  enough: (received: string) => boolean = () => false,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (enough(received)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...body] = received.split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      resolve({
        status: Number(first.split(' ')[1]),
        headers: new Map(
          lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')]),
        ),
        text: body.join('\r\n\r\n'),
      });
    });
  });
