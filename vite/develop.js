import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Starts Vite with hot reload, and the service behind it, which restarts when its files change. */
export const develop = () => {
  const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
  const vitePort = String(Number(PORT) + 1);
  const env = { ...process.env, BASE_URL: process.env.BASE_URL || `http://${HOST}:${vitePort}` };
  const children = [
    spawn(process.execPath, ['--watch', '--watch-preserve-output', join(ROOT, 'src/service/main.ts')], {
      stdio: 'inherit',
      env,
    }),
    spawn(
      process.execPath,
      [join(ROOT, 'node_modules/vite/bin/vite.js'), '--host', HOST, '--port', vitePort, '--strictPort'],
      { cwd: ROOT, stdio: 'inherit', env: { ...env, SERVICE_URL: `http://${HOST}:${PORT}` } },
    ),
  ];
  const stop = () => children.forEach((child) => child.kill('SIGTERM'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  children.forEach((child) => child.on('exit', stop));
};
