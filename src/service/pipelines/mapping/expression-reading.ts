import { parseJson, UnreadableJson } from '../../platform/http/parse-json.ts';
import type { ExpressionAnswer } from './expression-protocol.ts';
import { isObject } from '../formats/message-format.ts';
import { penstockFormat } from '../formats/penstock-format.ts';
import { finishReading, noNames, rejectMessage, type MessageReading } from '../formats/read-message.ts';

const FORMAT = 'expression';
const SHOWN_CHARACTERS = 200;
const WANTED =
  'The expression must return { "samples": […] }, { "device", "ts", "values" } or a list of these objects. To skip a message, return nothing or []';

export const rejectMapping = (reason: string, detail: string): MessageReading =>
  rejectMessage(reason, detail, FORMAT);

const shown = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

/** JSONata turns a list with one entry into the entry itself. */
const withList = (result: unknown): unknown =>
  isObject(result) && isObject(result['samples']) ? { ...result, samples: [result['samples']] } : result;

const skipped: MessageReading = {
  format: FORMAT,
  samples: [],
  deviceNames: noNames,
  rejections: [],
  isSkipped: true,
};

/** Whether a result contains no samples. JSONata omits fields whose value is nothing. */
const isNoSamples = (result: unknown): boolean => {
  if (Array.isArray(result)) return result.length === 0;
  if (!isObject(result)) return false;
  const { samples, ...others } = result;
  return Object.keys(others).length === 0 && (samples === undefined || isNoSamples(samples));
};

/** The reading for the answer to a message. Each sample has a device. */
export const expressionReading = (answer: ExpressionAnswer, device: string | undefined): MessageReading => {
  if ('isLate' in answer)
    return rejectMapping(
      'expression-timeout',
      'The expression exceeded the limit of 100 ms of CPU time per message.',
    );
  if ('error' in answer) {
    const { message, position } = answer.error;
    const at = position === undefined ? '' : `At character ${position} of the expression: `;
    return rejectMapping('expression-error', `${at}${message}`);
  }
  if (answer.result === null) return skipped;
  let result: unknown;
  try {
    result = withList(parseJson(answer.result));
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return rejectMapping('expression-result', `The result ${error.message}: ${shown(answer.result)}`);
  }
  if (isNoSamples(result)) return skipped;
  const reading = penstockFormat.read(result, 0);
  return reading === undefined
    ? rejectMapping('expression-result', `${WANTED}. It returned ${shown(answer.result)}`)
    : finishReading(FORMAT, reading, device);
};
