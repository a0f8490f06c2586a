import type { PipelineTest } from '#contract/pipelines.ts';
import { describeError } from '../../platform/describe-error.ts';
import { allowedBy } from '../../platform/outbound/outbound-failure.ts';
import { raceAbort } from '../connections/race-abort.ts';
import type { DestinationRow } from '../definition/destination-store.ts';
import { openDestination, type OpenDestinationDependencies } from '../spool/open-destination.ts';

const PROBE_WITHIN_MS = 15_000;

/** Tests a destination with a separate, real connection. @throws an error that says why it does not accept samples */
export const probeDestination = async (
  deps: OpenDestinationDependencies,
  row: DestinationRow,
  withinMs = PROBE_WITHIN_MS,
): Promise<string> => {
  const open = openDestination(deps, row);
  const timeout = AbortSignal.timeout(withinMs);
  try {
    return await raceAbort(open.probe(timeout), timeout);
  } catch (error) {
    if (timeout.aborted)
      throw new Error(`The destination did not answer within ${withinMs / 1_000} s.`, { cause: error });
    throw error;
  } finally {
    await open.close();
  }
};

type Step = PipelineTest['steps'][number];

/** Runs one step of a test and measures its duration. */
export const tryStep = async (step: Step['step'], work: () => Promise<string>): Promise<Step> => {
  const begun = performance.now();
  const outcome = await work().then(
    (detail) => ({ ok: true, detail }),
    (error: unknown) => {
      const allow = allowedBy(error);
      return { ok: false, detail: describeError(error), ...(allow === undefined ? {} : { allow }) };
    },
  );
  return { step, ...outcome, ms: Math.round(performance.now() - begun) };
};
