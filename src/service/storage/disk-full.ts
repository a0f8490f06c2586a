/** Result codes of https://www.sqlite.org/rescode.html; SHMSIZE is what a full disk gives for the WAL's index. */
const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4_874;
/** What the system and PostgreSQL (`disk_full` of its appendix A) call it. */
const CODES = ['ENOSPC', 'EDQUOT', '53100'];

/** Whether the disk (or the database's quota) had no room. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.includes(String(error.code))) return true;
  if (!('errcode' in error) || typeof error.errcode !== 'number') return false;
  return (error.errcode & 0xff) === SQLITE_FULL || error.errcode === SQLITE_IOERR_SHMSIZE;
};
