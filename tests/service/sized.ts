/** True in `npm run test:full`, where the large runs have their whole size. */
export const isFullRun = process.env['TEST_SIZE'] === 'full';

/** How much of something a test takes: the usual amount, or the whole one in a full run. */
export const sized = (usual: number, whole: number): number => (isFullRun ? whole : usual);
