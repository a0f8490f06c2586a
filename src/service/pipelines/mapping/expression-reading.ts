import { parseJson, UnreadableJson } from '../../platform/http/parse-json.ts';
import { shorten } from '../../platform/shorten.ts';
import type { ExpressionAnswer } from './expression-protocol.ts';
import { isObject } from '../formats/json-object.ts';
import { writeNestedGroup } from '../formats/flat-format.ts';
import { groupsIn, isGroup, writeGroup } from '../formats/penstock-format.ts';
import type { MessageWriter, ReadInto } from '../formats/message-writer.ts';

const FORMAT = 'expression';
const SHOWN_CHARACTERS = 200;
const WANTED =
  'The expression must return { "samples": […] }, or one or a list of { "device", "ts", "values" }. To skip a message, return nothing or []. To leave a message to `auto`, return $';

export const rejectMapping =
  (reason: string, detail: string, format: string | null = FORMAT): ReadInto =>
  (writer) => {
    writer.format = format;
    writer.reject({ reason, detail, samples: 1 });
  };

/** JSONata turns a list with one entry into the entry itself. */
const withList = (result: unknown): unknown =>
  isObject(result) && isObject(result['samples']) ? { ...result, samples: [result['samples']] } : result;

/** Whether a result contains no samples. JSONata omits fields whose value is nothing. */
const isNoSamples = (result: unknown): boolean => {
  if (Array.isArray(result)) return result.length === 0;
  if (!isObject(result)) return false;
  const { samples, ...others } = result;
  return Object.keys(others).length === 0 && (samples === undefined || isNoSamples(samples));
};

const skip: ReadInto = (writer) => {
  writer.format = FORMAT;
  writer.isSkipped = true;
};

/** Objects, lists and null, which is no value. */
const isNested = (value: unknown): boolean => typeof value === 'object';

const writeResult = (json: string, device: string | undefined, writer: MessageWriter): void => {
  let result: unknown;
  try {
    result = withList(parseJson(json));
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return rejectMapping(
      'expression-result',
      `The result ${error.message}: ${shorten(json, SHOWN_CHARACTERS)}`,
    )(writer);
  }
  if (isNoSamples(result)) return skip(writer);
  writer.format = FORMAT;
  writer.device = device;
  const groups = groupsIn(result);
  if (groups === undefined)
    return rejectMapping(
      'expression-result',
      `${WANTED}. It returned ${shorten(json, SHOWN_CHARACTERS)}`,
    )(writer);
  writer.addAll(groups, (group) => {
    if (isGroup(group) && Object.values(group.values).some(isNested)) writeNestedGroup(writer, group);
    else writeGroup(writer, group);
  });
  writer.finish();
};

/**
 * Reads the answer to a message. `device`: the device of samples that name none. Undefined: the expression leaves the
 * message to `auto`.
 */
export const readAnswer = (answer: ExpressionAnswer, device: string | undefined): ReadInto | undefined => {
  if ('isUnchanged' in answer) return undefined;
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
  const { result } = answer;
  return result === null ? skip : (writer) => writeResult(result, device, writer);
};
