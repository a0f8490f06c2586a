const words: Record<string, string> = {
  'not-text': 'Not text',
  'not-json': 'Not JSON',
  'empty-message': 'Empty message',
  'too-deep': 'Nested too deep',
  'forbidden-key': 'Forbidden key',
  'unknown-format': 'No known format',
  'no-values': 'No values',
  'duplicate-metric': 'Metric twice',
  'device-missing': 'No device named',
  'unknown-device': 'Unknown device',
  'device-deleted': 'Deleted device',
  'invalid-device': 'Not a device name',
  'invalid-sample': 'Not a sample',
  'invalid-ts': 'Not a time',
  'invalid-metric': 'Not a metric name',
  'invalid-value': 'Not a value',
  'unknown-field': 'Unknown field',
  'too-many-metrics': 'Too many metrics',
  'ts-too-far-ahead': 'Time in the future',
  'ts-too-old': 'Time before what is kept',
  'ts-collision': 'Different values for one time',
  'not-finite': 'Not a finite number',
  'invalid-line': 'Not a line of its format',
  'payload-not-decoded': 'Payload not decoded',
  'unknown-version': 'Unknown version',
  'expression-error': 'The expression failed',
  'expression-result': 'The expression gave no samples',
  'expression-timeout': 'The expression took too long',
  'expression-memory': 'The expression took too much memory',
  'too-large': 'Message too large',
  'modbus-exception': 'Refused by the device',
  'unsafe-integer': 'Beyond exact whole numbers',
  'destination-refused': 'Refused by the destination',
  'not-whole': 'Not kept whole',
  'kind-mismatch': 'Another kind of value',
};

/** The code of a cause in a few words; one that is newer than this page, by its own name. */
export const reasonInWords = (code: string): string => {
  const said = words[code] ?? code.replaceAll('-', ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
};
