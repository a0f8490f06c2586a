import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** The content security policy that the service sends with every page. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; manifest-src 'self'; worker-src 'self'; require-trusted-types-for 'script'";

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

export interface Harness {
  url: string;
  close: () => Promise<void>;
}

/** Builds the harness in a temporary folder and serves it on loopback with this policy, which echarts does not meet. */
export async function serveHarness({ hasPolicy = true } = {}): Promise<Harness> {
  const outDir = await mkdtemp(join(tmpdir(), 'chart-harness-'));
  await build({
    configFile: fileURLToPath(new URL('./vite.config.ts', import.meta.url)),
    build: { outDir },
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(outDir, normalize(pathname === '/' ? '/index.html' : pathname));
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      ...(hasPolicy && { 'content-security-policy': CONTENT_SECURITY_POLICY }),
    });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The harness has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
