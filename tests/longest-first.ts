import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than others of their size, because they wait, the longest first. Vitest begins with the largest files:
 * these would be the last, and leave a core idle.
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

/** Others between two of them: if all workers began with files that wait, the cores would idle. */
const OTHERS_BETWEEN = 4;

const rankOf = ({ moduleId }: TestSpecification): number =>
  LONG_FILES.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));

/** The first files of a run: those that wait, with others in between, the largest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Not the method of an array.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    const long = sorted.filter((file) => rankOf(file) !== -1).toSorted((a, b) => rankOf(a) - rankOf(b));
    const others = sorted.filter((file) => rankOf(file) === -1);
    return [
      ...long.flatMap((file, index) => [
        file,
        ...others.slice(index * OTHERS_BETWEEN, (index + 1) * OTHERS_BETWEEN),
      ]),
      ...others.slice(long.length * OTHERS_BETWEEN),
    ];
  }
}
