import { crc32 } from 'node:zlib';

/** The length of the CRC-32 after a coded chunk or journal row, little-endian. */
export const CHECKSUM_BYTES = 4;

/** Writes the CRC-32 of all other bytes into the last four. */
export const writeChecksum = (bytes: Uint8Array): Uint8Array => {
  const end = bytes.length - CHECKSUM_BYTES;
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
};

/** The bytes before the checksum. @throws RangeError where the checksum is wrong */
export const verifyChecksum = (bytes: Uint8Array): Uint8Array => {
  const end = bytes.length - CHECKSUM_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (end < 1 || view.getUint32(end, true) !== crc32(bytes.subarray(0, end)))
    throw new RangeError('The checksum is wrong.');
  return bytes.subarray(0, end);
};
