import { pointerOf } from '#contract/json-pointer.ts';
import { InvalidSeries } from './labelled-series.ts';
import { wrongField } from './unreadable-body.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A place in a request, whose fields may be missing: protocol buffers leave out what is empty. */
class Place {
  readonly value: unknown;
  readonly #path: readonly PropertyKey[];

  constructor(value: unknown, path: readonly PropertyKey[] = []) {
    this.value = value ?? undefined;
    this.#path = path;
  }

  /** @throws UnreadableBody */
  object(): Json {
    if (this.value === undefined) return {};
    return isObject(this.value) ? this.value : this.fail('Must be an object.');
  }

  /** @throws UnreadableBody */
  field(name: string): Place {
    return new Place(this.object()[name], [...this.#path, name]);
  }

  /** @throws UnreadableBody */
  values(name: string): readonly unknown[] {
    const { value = [] } = this.field(name);
    return Array.isArray(value) ? value : this.field(name).fail('Must be a list.');
  }

  /** @throws UnreadableBody */
  places(name: string): Place[] {
    return this.values(name).map((each, i) => new Place(each, [...this.#path, name, i]));
  }

  /** @throws UnreadableBody */
  text(name: string): string {
    const { value = '' } = this.field(name);
    return typeof value === 'string' ? value : this.field(name).fail('Must be a string.');
  }

  fail(detail: string): never {
    throw wrongField(pointerOf([...this.#path]), 'invalid-type', detail);
  }
}

/** The text of an attribute: a string, boolean or number as it is, other values as JSON. */
const textOf = (value: unknown): string => {
  if (!isObject(value)) return '';
  const { stringValue, boolValue, intValue, doubleValue } = value;
  const plain = stringValue ?? boolValue ?? intValue ?? doubleValue;
  if (typeof plain === 'string') return plain;
  return typeof plain === 'boolean' || typeof plain === 'number' ? String(plain) : JSON.stringify(value);
};

/** Attributes by their keys. @throws InvalidSeries */
export const readAttributes = (attributes: unknown): Map<string, unknown> => {
  const read = new Map<string, unknown>();
  if (attributes === undefined || attributes === null) return read;
  if (!Array.isArray(attributes)) throw new InvalidSeries('has attributes that are not a list');
  for (const attribute of attributes) {
    if (!isObject(attribute) || typeof attribute['key'] !== 'string')
      throw new InvalidSeries('has an attribute without a key');
    read.set(attribute['key'], attribute['value']);
  }
  return read;
};

/** The texts of attributes, without those that are empty. @throws InvalidSeries */
export const textsOf = (attributes: ReadonlyMap<string, unknown>): Map<string, string> =>
  new Map(
    [...attributes].map(([key, value]) => [key, textOf(value)] as const).filter(([, text]) => text !== ''),
  );

const TYPES = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const;

/** A metric with the data points that share its resource and scope. */
export type OtlpMetric = {
  readonly resource: ReadonlyMap<string, unknown>;
  readonly scope: string;
  readonly name: string;
  readonly type: (typeof TYPES)[number];
  readonly points: readonly unknown[];
};

const readResource = (place: Place): Map<string, unknown> => {
  try {
    return readAttributes(place.object()['attributes']);
  } catch (error) {
    if (!(error instanceof InvalidSeries)) throw error;
    return place.field('attributes').fail('Must be a list of objects with a key and a value.');
  }
};

/**
 * The metrics of an `ExportMetricsServiceRequest` in JSON. Their data points are not checked yet. @throws
 * UnreadableBody
 */
export const readOtlpMetrics = (body: unknown): OtlpMetric[] => {
  const request = new Place(body);
  if (!isObject(body)) request.fail('Must be an object with the field resourceMetrics.');
  const found: OtlpMetric[] = [];
  for (const ofResource of request.places('resourceMetrics')) {
    const resource = readResource(ofResource.field('resource'));
    for (const ofScope of ofResource.places('scopeMetrics')) {
      const scope = ofScope.field('scope').text('name');
      for (const metric of ofScope.places('metrics')) {
        const name = metric.text('name');
        const type = TYPES.find((each) => metric.field(each).value !== undefined);
        if (type === undefined) continue;
        const points = metric.field(type).values('dataPoints');
        found.push({ resource, scope, name, type, points });
      }
    }
  }
  return found;
};

/** One value of a data point. `suffix`: the suffix of the metric name. */
export type OtlpValue = {
  readonly suffix: string;
  readonly label?: readonly [name: string, value: string];
  readonly value: number;
};

/** A number, or its text: JSON has 64-bit integers, NaN and infinity as text. @throws InvalidSeries */
const numberOf = (given: unknown, what: string): number => {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || (Number.isNaN(number) && given !== 'NaN' && typeof given === 'string'))
    throw new InvalidSeries(`has no valid ${what}`);
  return number;
};

const optional = (suffix: string, given: unknown): OtlpValue[] =>
  given === undefined || given === null ? [] : [{ suffix, value: numberOf(given, suffix.slice(1)) }];

const listOf = (given: unknown, what: string): readonly unknown[] => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new InvalidSeries(`has ${what} that are not a list`);
  if (given.length > MAX_PARTS) throw new InvalidSeries(`has more than ${MAX_PARTS} ${what}`);
  return given;
};
/** Of buckets or quantiles. */
const MAX_PARTS = 500;

/** Each bucket counts the values up to its bound, as in Prometheus; buckets of OTLP count from the previous bound. */
const bucketsOf = ({ bucketCounts, explicitBounds }: Json): OtlpValue[] => {
  const counts = listOf(bucketCounts, 'buckets');
  const bounds = listOf(explicitBounds, 'bounds');
  if (counts.length > 0 && counts.length !== bounds.length + 1)
    throw new InvalidSeries(`has ${counts.length} buckets and ${bounds.length} bounds`);
  let total = 0;
  return counts.map((count, i) => {
    total += numberOf(count, 'bucketCounts');
    const bound = i === bounds.length ? '+Inf' : String(numberOf(bounds[i], 'explicitBounds'));
    return { suffix: '.bucket', label: ['le', bound], value: total };
  });
};

const quantileOf = (given: unknown): OtlpValue => {
  const { quantile, value } = isObject(given) ? given : {};
  return {
    suffix: '',
    label: ['quantile', String(numberOf(quantile ?? 0, 'quantile'))],
    value: numberOf(value ?? 0, 'value of a quantile'),
  };
};

/** The values of a data point. @throws InvalidSeries */
export const valuesOf = (type: OtlpMetric['type'], point: Json): OtlpValue[] => {
  const totals = () => [...optional('.count', point['count'] ?? 0), ...optional('.sum', point['sum'])];
  switch (type) {
    case 'histogram':
      return [
        ...totals(),
        ...optional('.min', point['min']),
        ...optional('.max', point['max']),
        ...bucketsOf(point),
      ];
    case 'summary':
      return [...totals(), ...listOf(point['quantileValues'], 'quantiles').map(quantileOf)];
    case 'exponentialHistogram':
      throw new InvalidSeries(
        'is an exponential histogram, which Penstock does not store. Use explicit buckets',
      );
    default:
      return [{ suffix: '', value: numberOf(point['asDouble'] ?? point['asInt'], 'value') }];
  }
};

/** A data point. @throws InvalidSeries */
export const readPoint = (point: unknown): Json => {
  if (!isObject(point)) throw new InvalidSeries('has a data point that is not an object');
  return point;
};
