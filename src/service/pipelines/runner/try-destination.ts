import type { PipelineTestStep } from '#contract/pipeline-test.ts';
import { describeError } from '../../platform/describe-error.ts';
import { allowedBy } from '../../platform/outbound/outbound-failure.ts';
import { raceAbort } from '../connections/race-abort.ts';
import type { DestinationRow } from '../definition/destination-store.ts';
import { openDestination, type OpenDestinationDependencies } from '../spool/open-destination.ts';

const PROBE_WITHIN_MS = 15_000;

type ProbeOptions = {
  withinMs?: number;
  /** Stops the test. */
  signal?: AbortSignal;
};

/** Tests a destination with a separate, real connection. @throws an error that says why it does not accept samples */
export const probeDestination = async (
  deps: OpenDestinationDependencies,
  row: DestinationRow,
  { withinMs = PROBE_WITHIN_MS, signal }: ProbeOptions = {},
): Promise<string> => {
  const open = openDestination(deps, row);
  const timeout = AbortSignal.timeout(withinMs);
  try {
    return await raceAbort(open.probe(timeout), timeout, ...(signal === undefined ? [] : [signal]));
  } catch (error) {
    if (timeout.aborted)
      throw new Error(`The destination did not answer within ${withinMs / 1_000} s.`, { cause: error });
    throw error;
  } finally {
    await open.close();
  }
};

/** `pointer`: the field to check. `ok` defaults to true. */
export type StepResult = Pick<PipelineTestStep, 'detail' | 'pointer'> & { ok?: boolean };

/** Runs one step of a test and measures its duration. `pointer`: the field to check if the step throws. */
export const tryStep = async (
  step: PipelineTestStep['step'],
  work: () => Promise<StepResult>,
  pointer?: string,
): Promise<PipelineTestStep> => {
  const begun = performance.now();
  const outcome = await work().then(
    (result) => ({ ok: true, ...result }),
    (error: unknown) => {
      const allow = allowedBy(error);
      return {
        ok: false,
        detail: describeError(error),
        ...(pointer === undefined ? {} : { pointer }),
        ...(allow === undefined ? {} : { allow }),
      };
    },
  );
  return { step, ...outcome, ms: Math.round(performance.now() - begun) };
};
