/** True in `npm run test:full`, where large tests run at full size. */
export const isFullRun = process.env['TEST_SIZE'] === 'full';

/** True while a file runs again over PostgreSQL. */
export const isSecondDatabase = process.env['TEST_DIALECT'] === 'postgres';

/** The size of a large test: `usual` or `again` (over PostgreSQL) in `npm test`, `whole` in `npm run test:full`. */
export const sized = (usual: number, whole: number, again = usual): number => {
  if (isFullRun) return whole;
  return isSecondDatabase ? again : usual;
};

/** In `npm test`, a place of a rotation gets one of so many values. */
const STRIDE = 6;

/**
 * For tests that put many values into many places: in `npm test`, each place gets every sixth value and the next place
 * the next ones. In `npm run test:full`, each gets all.
 */
export const createRotation = (): (<T>(values: readonly T[]) => readonly T[]) => {
  let place = 0;
  return (values) => {
    place += 1;
    return isFullRun ? values : values.filter((_, index) => index % STRIDE === place % STRIDE);
  };
};
