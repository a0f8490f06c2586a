/** True in `npm run test:full`, where large tests run at full size. */
export const isFullRun = process.env['TEST_SIZE'] === 'full';

/** The size of a large test: `usual` in `npm test`, `whole` in `npm run test:full`. */
export const sized = (usual: number, whole: number): number => (isFullRun ? whole : usual);
