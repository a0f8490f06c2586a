/** True in `npm run test:full`, where large tests run at full size. */
export const isFullRun = process.env['TEST_SIZE'] === 'full';

/** True while a file runs again over PostgreSQL. */
export const isSecondDatabase = process.env['TEST_DIALECT'] === 'postgres';

/** The size of a large test: `usual` in `npm test`, `whole` in `npm run test:full`. */
export const sized = (usual: number, whole: number): number => (isFullRun ? whole : usual);

/**
 * For tests that put many values into many places. In `npm test`, each place gets every `stride`-th value, and the values of
 * the next place begin one later. In `npm run test:full`, each place gets all values.
 */
export const createRotation = (stride = 6): (<T>(values: readonly T[]) => readonly T[]) => {
  let place = 0;
  return (values) => {
    place += 1;
    return isFullRun ? values : values.filter((_, index) => index % stride === place % stride);
  };
};
