import Papa from 'papaparse';
import { pointerOf, type FieldProblem } from '#contract/problem.ts';
import type { Value } from '#contract/telemetry.ts';
import { parseJson, UnreadableJson } from '../parse-json.ts';
import { readSamples, SampleReader } from './read-samples.ts';
import type { SampleReading } from './sample-reading.ts';
import type { TimeRule } from './sample-time.ts';

/** The body as a whole cannot be read as what it says it is; nothing of it was taken. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  /** Where the fault is a field's of a body that is JSON, its place. */
  readonly field: FieldProblem | undefined;

  constructor(detail: string, field?: FieldProblem) {
    super(detail);
    this.field = field;
  }
}

const wrongField = (pointer: string, code: string, detail: string): UnreadableBody =>
  new UnreadableBody(`${pointer || 'The body'}: ${detail}`, { pointer, code, detail });

/** Reads `{ samples: [...] }`, parsed. @throws UnreadableBody, TooManyValues */
export const readJsonBody = (body: unknown, times?: TimeRule): SampleReading => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw wrongField('', 'invalid-type', 'Must be an object with the field samples.');
  const stranger = Object.keys(body).find((key) => key !== 'samples');
  if (stranger !== undefined)
    throw wrongField(pointerOf([stranger]), 'unknown-field', 'There is no such field. Leave it out.');
  if (!('samples' in body) || !Array.isArray(body.samples))
    throw wrongField('/samples', 'invalid-type', 'Must be a list of samples.');
  return readSamples(body.samples, undefined, times);
};

/** Reads a Sample a line (https://github.com/ndjson/ndjson-spec); a line that is not JSON, or may not be taken, counts as one value. @throws TooManyValues */
export const readNdjsonBody = (body: string, times?: TimeRule): SampleReading => {
  const reader = new SampleReader(undefined, times);
  let index = 0;
  for (const line of body.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    let sample: unknown;
    try {
      sample = parseJson(text);
    } catch (error) {
      if (!(error instanceof UnreadableJson)) throw error;
      reader.reject(index, [], 'invalid-sample', `The line ${error.message}. Mend it, then send it again.`);
      index += 1;
      continue;
    }
    reader.add(index, sample);
    index += 1;
  }
  return reader.reading;
};

const COLUMNS = ['ts', 'device', 'metric', 'value'];
/** The number of RFC 8259: what a cell must look like to be one. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const valueOfCell = (cell: string): Value => {
  if (JSON_NUMBER.test(cell)) return Number(cell);
  return cell === 'true' || cell === 'false' ? cell === 'true' : cell;
};

/** Reads rows of `ts,device,metric,value` below that header (RFC 4180); an empty ts is left to the service. @throws UnreadableBody, TooManyValues */
export const readCsvBody = (body: string, times?: TimeRule): SampleReading => {
  const { data, errors } = Papa.parse<string[]>(body, { delimiter: ',', skipEmptyLines: true });
  const [fault] = errors;
  if (fault !== undefined)
    throw new UnreadableBody(`Row ${(fault.row ?? 0) + 1} of the CSV: ${fault.message}. Nothing was stored.`);
  const [header, ...rows] = data;
  if (header?.join(',') !== COLUMNS.join(','))
    throw new UnreadableBody(`The first row of the CSV must be ${COLUMNS.join(',')}.`);
  const reader = new SampleReader(undefined, times);
  for (const [index, [ts, device, metric, value, ...rest]] of rows.entries()) {
    if (
      ts === undefined ||
      device === undefined ||
      metric === undefined ||
      value === undefined ||
      rest.length > 0
    )
      reader.reject(
        index,
        [],
        'invalid-sample',
        `The row must have ${COLUMNS.length} cells: ${COLUMNS.join(',')}.`,
      );
    else reader.addRow(index, device, ts, metric, valueOfCell(value));
  }
  return reader.reading;
};
