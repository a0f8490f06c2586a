const MIB = 1_048_576;

/** With one decimal below 10 MiB. */
export const formatMebibytes = (bytes: number): string => {
  const maximumFractionDigits = bytes < 10 * MIB ? 1 : 0;
  return `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits })} MiB`;
};
