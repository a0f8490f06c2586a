import { isDisplayUnit } from '../../telemetry/write/display-unit.ts';
import { parseJson, UnreadableJson } from '../../platform/http/parse-json.ts';
import { shorten } from '../../platform/shorten.ts';
import type { ExpressionAnswer, ExpressionInput } from './expression-protocol.ts';
import { isObject } from '../formats/json-object.ts';
import { writeNestedGroup } from '../formats/flat-format.ts';
import { groupsIn, isGroup, writeGroup } from '../formats/penstock-format.ts';
import type { MessageWriter, ReadInto } from '../formats/message-writer.ts';

const FORMAT = 'expression';
const SHOWN_CHARACTERS = 200;
const WANTED =
  'The expression must return { "device", "ts", "values", "units" }, a list of these objects, or { "samples": […] }. To skip a message, return nothing or []. To let Penstock detect the format, return $';

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

/**
 * The result with the external IDs of devices in its groups (`boiler 7` becomes `boiler-7`), and without their units
 * (`"units": { "temp": "°C" }`), which `writer` takes. Texts that are not units are left out.
 */
const resolveGroups = (result: unknown, writer: MessageWriter): unknown => {
  if (Array.isArray(result)) return result.map((item: unknown) => resolveGroups(item, writer));
  if (!isObject(result)) return result;
  if (Array.isArray(result['samples']))
    return { ...result, samples: resolveGroups(result['samples'], writer) };
  const { units: given, ...rest } = result;
  const group = isObject(given) ? rest : result;
  if (!isGroup(group)) return result;
  const { device: name } = group;
  const device = typeof name === 'string' && name.trim() !== '' ? writer.deviceNamed(name) : name;
  const owner = typeof device === 'string' ? device : undefined;
  for (const [metric, unit] of Object.entries(given ?? {}))
    if (isDisplayUnit(unit)) writer.addUnit(metric, unit, owner);
  return device === name ? group : { ...group, device };
};

/** `null` too: flattening leaves it out. */
const needsFlattening = (value: unknown): boolean => typeof value === 'object';

type Input = Pick<ExpressionInput, 'device' | 'isJson' | 'text'>;

const notJson = rejectMapping(
  'not-json',
  'The message is not JSON, so the expression found no fields. Send JSON, or parse the text in the expression: $ is the whole text.',
);

/** The beginning of an object, or of a list of objects. */
const BEGINS_LIKE_JSON = /^\s*(?:\[\s*)?\{/;

/** An expression without samples skips the message, unless it found no fields because the JSON was cut off. */
const skipUnlessCutOff = ({ isJson, text }: Input): ReadInto =>
  !isJson && BEGINS_LIKE_JSON.test(text) ? notJson : skip;

const writeResult = (json: string, input: Input, writer: MessageWriter): void => {
  const { device, isJson } = input;
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
  if (isNoSamples(result)) return skipUnlessCutOff(input)(writer);
  writer.format = FORMAT;
  writer.device = device;
  const groups = groupsIn(resolveGroups(result, writer));
  if (groups === undefined)
    return rejectMapping(
      'expression-result',
      `${WANTED}. It returned ${shorten(json, SHOWN_CHARACTERS)}`,
    )(writer);
  if (!isJson && groups.every((group) => isGroup(group) && Object.keys(group.values).length === 0))
    return notJson(writer);
  writer.addAll(groups, (group) => {
    if (isGroup(group) && Object.values(group.values).some(needsFlattening)) writeNestedGroup(writer, group);
    else writeGroup(writer, group);
  });
  writer.finish();
};

/**
 * Reads the answer to a message. Its device is that of samples that name none. Undefined: the expression leaves the
 * message to `auto`.
 */
export const readAnswer = (answer: ExpressionAnswer, input: Input): ReadInto | undefined => {
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
  return result === null ? skipUnlessCutOff(input) : (writer) => writeResult(result, input, writer);
};
