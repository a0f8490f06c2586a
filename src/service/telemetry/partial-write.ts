import type { WriteReport } from '#contract/telemetry.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { describeLine } from './write/sample-reading.ts';

type Part = 'line' | 'series' | 'metric';

/** Says how many samples of a write were rejected, with the first of them. `part`: what the body consists of. */
export const describeRejected = ({ received, rejected, errors }: WriteReport, part: Part): string => {
  const [first] = errors;
  const place = first === undefined ? '' : describeLine(first);
  const outcome =
    rejected === received
      ? `${received === 1 ? 'the sample was' : `all ${received} samples were`} rejected`
      : `${rejected} of ${received} samples were rejected, and the others were stored`;
  const which =
    rejected === 1 ? `${part[0]!.toUpperCase()}${part.slice(1)}` : `The first rejection is in ${part}`;
  return `${outcome}. ${which} ${place}: ${first?.detail}`;
};

/** The problem of a write of which samples were rejected. `suffix`: the end of the text. */
export const partialWrite = (report: WriteReport, part: Part, suffix = ''): HttpProblem =>
  new HttpProblem('partial-write', `partial write: ${describeRejected(report, part)}${suffix}`);
