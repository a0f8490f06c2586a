import type { MetricType } from '#contract/metrics.ts';

/** Words that state a unit. Words of a quantity are not among them: a temperature may be in °C or °F. */
const UNITS = new Map(
  Object.entries({
    celsius: '°C',
    degc: '°C',
    fahrenheit: '°F',
    degf: '°F',
    kelvin: 'K',
    percent: '%',
    percentage: '%',
    pct: '%',
    volts: 'V',
    mv: 'mV',
    amps: 'A',
    amperes: 'A',
    ma: 'mA',
    watts: 'W',
    kw: 'kW',
    wh: 'Wh',
    kwh: 'kWh',
    joules: 'J',
    hertz: 'Hz',
    hz: 'Hz',
    khz: 'kHz',
    mhz: 'MHz',
    pascals: 'Pa',
    hpa: 'hPa',
    kpa: 'kPa',
    mbar: 'mbar',
    bar: 'bar',
    psi: 'psi',
    ppm: 'ppm',
    ppb: 'ppb',
    rpm: 'rpm',
    lux: 'lx',
    dbm: 'dBm',
    meters: 'm',
    metres: 'm',
    mm: 'mm',
    cm: 'cm',
    km: 'km',
    kmh: 'km/h',
    seconds: 's',
    milliseconds: 'ms',
    ms: 'ms',
    minutes: 'min',
    hours: 'h',
    bytes: 'B',
    bits: 'bit',
    grams: 'g',
    kg: 'kg',
    liters: 'L',
    litres: 'L',
    ml: 'mL',
    m3: 'm³',
  }),
);
/** After `per`. */
const TIMES = new Map(Object.entries({ second: 's', minute: 'min', hour: 'h' }));
/** Of an electric supply: `l1`, `2`, `phase_a`. */
const PHASE = String.raw`(?:phase_)?(?:l?\d|[a-c])`;
/** The words before a letter: a quantity, and perhaps a phase. */
const quantity = (words: string) => new RegExp(`(?:^|_)(?:${words})(?:_${PHASE})?$`);
const TEMPERATURE = quantity('temp(?:erature)?');
const DURATION = quantity('age|delay|duration|elapsed|interval|latency|runtime|time|uptime');
/** A letter states a unit only after its quantity: `temp_c`, `power_w`. */
const LETTERS = new Map(
  Object.entries({
    c: { after: TEMPERATURE, unit: '°C' },
    f: { after: TEMPERATURE, unit: '°F' },
    w: { after: quantity('consumption|generation|load|power|production'), unit: 'W' },
    v: { after: quantity('bat|batt|battery|vbat|vcc|vdd|voltage'), unit: 'V' },
    // Without a phase, the letter is one: `current_a`, `current_b`.
    a: { after: new RegExp(`(?:^|_)(?:amperage|current_${PHASE})$`), unit: 'A' },
    s: { after: DURATION, unit: 's' },
    h: { after: DURATION, unit: 'h' },
    m: { after: quantity('altitude|depth|distance|elevation|height|length|level'), unit: 'm' },
  }),
);

/** OpenMetrics requires this ending of counters. Labels may follow: `http_requests_total.code.200`. */
const COUNTER = /(?:_(?:total|counter)|[a-z]Total)(?=\.|$)/;

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._\-/:]+/);

/** The unit that the name of a metric ends with; null: none. The first word names what is measured. */
const guessUnit = (name: string): string | null => {
  const words = wordsOf(name);
  const [before = '', last = ''] = words.slice(-2);
  if (words.length < 2) return null;
  if (before === 'per') {
    const [unit, time] = [guessUnit(words.slice(0, -2).join('_')), TIMES.get(last)];
    return unit === null || time === undefined ? null : `${unit}/${time}`;
  }
  const letter = LETTERS.get(last);
  const isAfterQuantity = letter?.after.test(words.slice(0, -1).join('_')) === true;
  return UNITS.get(last) ?? (isAfterQuantity ? letter.unit : null);
};

/**
 * Guesses what a metric of numbers is from its name alone, so that a guess is the same for everyone and never changes: after a
 * release, no rule is changed or added (docs/decisions/0038-metrics-are-described-per-device-type.md).
 */
export const guessMetric = (name: string): { unit: string | null; metricType: MetricType } => {
  const counter = COUNTER.exec(name);
  return {
    unit: guessUnit(
      counter === null ? name : name.slice(0, counter.index + Number(name[counter.index] !== '_')),
    ),
    metricType: counter === null ? 'gauge' : 'counter',
  };
};
