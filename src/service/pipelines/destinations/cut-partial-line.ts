import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const BLOCK_BYTES = 65_536;
const LINE_FEED = 10;

/** Truncates a file after its last line feed, to remove a line that was only partly written. */
export const cutPartialLine = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    let wholeBytes = size;
    const block = Buffer.alloc(BLOCK_BYTES);
    for (; wholeBytes > 0; wholeBytes -= Math.min(BLOCK_BYTES, wholeBytes)) {
      const length = Math.min(BLOCK_BYTES, wholeBytes);
      const { bytesRead } = await handle.read(block, 0, length, wholeBytes - length);
      const at = block.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
      if (at === -1) continue;
      wholeBytes += at + 1 - length;
      break;
    }
    if (wholeBytes === size) return;
    await handle.truncate(wholeBytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};
