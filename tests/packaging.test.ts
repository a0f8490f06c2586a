import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { probesApi } from '#contract/probes.ts';
import { readConfig } from '#service/config.ts';
import { MAIN } from './service/built-service.ts';
import { freePort } from './service/free-port.ts';
import { isInstalled } from './service/installed.ts';
import { runProgram } from './service/run-program.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGING = join(ROOT, 'packaging');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-packaging-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the health check of the image', () => {
  const check = (env: Record<string, string>) =>
    runProgram([join(PACKAGING, 'health.mjs')], env).ended.then(({ code, stderr }) => ({ code, stderr }));

  it.each([
    ['without TLS', {}],
    [
      'with TLS',
      {
        TLS_CERT: join(ROOT, 'tests/service/test-cert.pem'),
        TLS_KEY: join(ROOT, 'tests/service/test-key.pem'),
        BASE_URL: 'https://penstock.example.com',
      },
    ],
  ])('succeeds while the service answers %s', async (name, tls) => {
    const env = { ...tls, PORT: String(await freePort()) };
    const dataDir = join(folder, name);
    const ports = { MQTT_PORT: '0', MQTTS_PORT: '0', SEED: 'none' };
    const service = runProgram([MAIN], { ...env, ...ports, DATA_DIR: dataDir });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await expect.poll(() => service.output.stderr).toContain('"listening"');
    expect(await check(env)).toEqual({ code: 0, stderr: '' });
    service.child.kill('SIGTERM');
    await service.ended;
    expect(await check(env)).toEqual({ code: 1, stderr: '' });
  });
});

describe('the image', () => {
  it('is built from files that the build can read', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(allowed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
      .flatMap(([, files = '']) => files.split(' '))
      .filter((file) => file !== '.');
    expect(copied).not.toEqual([]);
    expect(copied.filter((file) => !allowed.includes(file))).toEqual([]);
  });

  it('has an environment that the service accepts once BASE_URL is set', () => {
    const variables = [...read('Dockerfile').matchAll(/^(?:ENV|\s+) ?([A-Z_]+)=(\S+)/gm)];
    const env = Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value]));
    expect(Object.keys(env)).toEqual(['HOST', 'DATA_DIR', 'NODE_COMPILE_CACHE']);
    expect(() => readConfig(env)).toThrow(/^BASE_URL is required/);
    expect(readConfig({ ...env, BASE_URL: 'http://localhost:8080' })).toMatchObject({ dataDir: '/data' });
  });
});

describe('the compose files', () => {
  type Container = {
    build?: string;
    environment?: Record<string, string | number>;
    volumes: string[];
    read_only?: boolean;
  };
  type Compose = { services: Record<string, Container>; volumes: Record<string, null> };
  /** Each variable has a value of its own, as if the operator had set it. */
  const readCompose = (file: string): Compose =>
    parse(
      read(file).replaceAll(/\$\{(\w+)(?::[?-]([^}]*))?\}/g, (_, name: string) =>
        name === 'BASE_URL' ? 'http://localhost:8080' : `${name.toLowerCase()}.example.com`,
      ),
      { merge: true },
    ) as Compose;
  const files = ['compose.yaml', 'packaging/compose.postgres.yaml', 'packaging/compose.processes.yaml'];

  it.each(files)('configure each process as the service accepts it, with a volume of its own: %s', (file) => {
    const { services, volumes } = readCompose(file);
    const processes = Object.values(services).filter(({ build }) => build !== undefined);
    expect(processes).toHaveLength(file.endsWith('processes.yaml') ? 3 : 1);
    for (const { environment = {}, read_only } of processes) {
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, String(value)]),
      );
      expect(() => readConfig({ HOST: '0.0.0.0', DATA_DIR: '/data', ...env })).not.toThrow();
      expect(read_only).toBe(true);
    }
    const mounted = Object.values(services).flatMap((service) =>
      service.volumes.map((mount) => mount.split(':')[0]!),
    );
    expect(mounted.filter((name) => !name.startsWith('.')).toSorted()).toEqual(
      Object.keys(volumes).toSorted(),
    );
  });

  it('name the processes that Caddy distributes requests to', () => {
    const { services } = readCompose('packaging/compose.processes.yaml');
    const processes = Object.keys(services).filter((name) => services[name]?.build !== undefined);
    expect(services['caddy']?.environment?.['UPSTREAMS']).toBe(
      processes.map((name) => `${name}:8080`).join(' '),
    );
  });
});

describe('the unit of a backup', () => {
  /** The command of a setting, as a shell runs it in another folder. */
  const commandOf = (setting: string, backups: string): string => {
    const [, command = ''] =
      new RegExp(`^${setting}=(.*)$`, 'm').exec(read('packaging/penstock-backup.service')) ?? [];
    return command.replaceAll('%%', '%').replaceAll('/var/lib/penstock-backups', backups);
  };

  it('gives the files of one day different names', async () => {
    const backups = mkdtempSync(join(folder, 'backups-'));
    writeFileSync(join(backups, 'penstock'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const env = { PATH: `${backups}:${process.env['PATH']}` };
    const { stdout } = await runProgram(['-c', commandOf('ExecStart', backups)], env, 'sh').ended;
    expect(stdout.replace(`${backups}/`, '')).toMatch(/^backup penstock-\d{4}-\d\d-\d\dT\d{6}\.tar\n$/);
  });

  it('deletes what killed backups left, and nothing of one that runs', async () => {
    const backups = mkdtempSync(join(folder, 'backups-'));
    const dayAgo = new Date(Date.now() - 86_400_000);
    for (const name of [
      '.penstock-backup-killed',
      '.penstock-verify-killed',
      '.penstock-backup-running',
      'kept',
    ]) {
      mkdirSync(join(backups, name));
      writeFileSync(join(backups, name, 'penstock.db'), '');
      if (!name.endsWith('running')) utimesSync(join(backups, name), dayAgo, dayAgo);
    }
    const command = commandOf('ExecStartPre', backups);
    expect((await runProgram(['-c', command], {}, 'sh').ended).code).toBe(0);
    expect(readdirSync(backups).toSorted()).toEqual(['.penstock-backup-running', 'kept']);
  });
});

describe('the manifests for Kubernetes', () => {
  type Probe = { httpGet: { path: string; port: string } };
  type Named = { name: string };
  type Container = {
    env: (Named & { value: string })[];
    ports: (Named & { containerPort: number })[];
    volumeMounts: (Named & { mountPath: string })[];
    securityContext: unknown;
    startupProbe: Probe;
    livenessProbe: Probe;
    readinessProbe: Probe;
  };
  type Pod = {
    containers: [Container];
    volumes: Named[];
    terminationGracePeriodSeconds: number;
    securityContext: unknown;
  };
  type StatefulSet = {
    metadata: Named;
    spec: {
      replicas: number;
      serviceName: string;
      selector: { matchLabels: object };
      template: { metadata: { labels: object }; spec: Pod };
      volumeClaimTemplates: { metadata: Named }[];
    };
  };
  type Service = { metadata: Named; spec: { selector: object; ports: { targetPort: string }[] } };
  const documents = parseAllDocuments(read('packaging/kubernetes/penstock.yaml'));
  const [service, set] = documents.map((document) => document.toJS() as unknown) as [Service, StatefulSet];
  const { template, ...spec } = set.spec;
  const pod = template.spec;
  const [container] = pod.containers;
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  const imageEnv = { HOST: '0.0.0.0', DATA_DIR: '/data' };

  it('are YAML without errors', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  });

  it('run one process, which the Service finds by its labels and ports', () => {
    const { labels } = template.metadata;
    expect(spec).toMatchObject({
      replicas: 1,
      serviceName: service.metadata.name,
      selector: { matchLabels: labels },
    });
    expect(service.spec.selector).toEqual(labels);
    const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(service.spec.ports.map(({ targetPort }) => ports.get(targetPort))).toEqual([8_080, 1_883]);
  });

  it('configure the service, and give it longer than it takes to stop', () => {
    const config = readConfig({ ...imageEnv, ...env });
    expect([config.port, config.mqttPort]).toEqual([8_080, 1_883]);
    expect(config.drainMs).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(config.drainMs + 8_000);
  });

  it('probe addresses that answer to any host name, without a token', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual(
      [probesApi.live, probesApi.live, probesApi.ready].map(({ path }) => ({ path, port: 'http' })),
    );
    expect([probesApi.live, probesApi.ready]).toMatchObject([
      { anyHost: true, scope: 'none' },
      { anyHost: true, scope: 'none' },
    ]);
  });

  it('allow the process nothing but its volume and a folder for temporary files', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1_000,
        fsGroup: 1_000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const volumes = [...spec.volumeClaimTemplates.map(({ metadata }) => metadata), ...pod.volumes];
    const paths = new Map(container.volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
    expect(volumes.map(({ name }) => paths.get(name))).toEqual([imageEnv.DATA_DIR, '/tmp']);
  });
});

// Installed by tests/run.js.
describe.skipIf(!isInstalled('systemd-analyze'))('the systemd units', () => {
  /** Copies of the units whose command exists on this machine. */
  const units = () => {
    const copies = join(folder, 'units');
    mkdirSync(copies, { recursive: true });
    return readdirSync(PACKAGING)
      .filter((name) => /\.(service|timer)$/.test(name))
      .map((name) => {
        const text = read(`packaging/${name}`);
        const command = '/opt/penstock/node_modules/.bin/penstock';
        writeFileSync(join(copies, name), text.replace(`ExecStart=${command}`, 'ExecStart=/bin/sh'));
        return join(copies, name);
      });
  };
  const analyse = (...args: string[]) => runProgram(args, {}, 'systemd-analyze').ended;

  it('are valid', async () => {
    expect(units()).toHaveLength(3);
    expect(await analyse('verify', ...units())).toMatchObject({ code: 0, stderr: '' });
  });

  it('restart the service unless it ended with the exit code of a wrong configuration', async () => {
    const unit = read('packaging/penstock.service');
    const [, code = ''] = /^RestartPreventExitStatus=(\d+)$/m.exec(unit) ?? [];
    expect(unit).toMatch(/^Restart=on-failure$/m);
    const wrong = await runProgram([MAIN], { DATA_DIR: join(folder, 'wrong'), PORT: 'eighty' }).ended;
    expect(wrong.code).toBe(Number(code));
  });

  it('leave little exposed', async () => {
    for (const unit of units().filter((path) => path.endsWith('.service'))) {
      // A threshold of 15 is an exposure of 1.5, of at most 10.
      const { code, stdout } = await analyse(
        'security',
        '--offline=yes',
        '--no-pager',
        '--threshold=15',
        unit,
      );
      expect([code, stdout]).toEqual([0, expect.stringContaining('Overall exposure')]);
    }
  });
});
