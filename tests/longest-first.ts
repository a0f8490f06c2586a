import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than others of their size, the longest first. Vitest begins with the largest files: these would be
 * the last, and leave a core idle.
 */
const LONG_FILES = [
  'kill-pipelines',
  'postgres-process-kills',
  'document-properties',
  'migration-snapshot',
  'loop-stalls',
  'canary-secrets',
  'full-disk-start',
  'npm-package',
  'start',
  'full-disk-without-reserve',
  'prometheus',
  'clickhouse-telemetry',
  'postgres-processes',
  'spool-outages',
  'mqtt-durability',
  'power-loss',
  'kill-store',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const index = LONG_FILES.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return index === -1 ? LONG_FILES.length : index;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Not the method of an array.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
