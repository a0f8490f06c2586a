import { STATUS_CODES } from 'node:http';

/** Describes the status of a response. */
export const describeStatus = (status: number): string => {
  const answered = `Answered ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}`;
  if (status >= 300 && status < 400)
    return `${answered}: Penstock does not follow redirects. Enter the URL that the server redirects to.`;
  return `${answered}.`;
};
