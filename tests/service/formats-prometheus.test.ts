import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readToSamples } from './read-to-samples.ts';
import { excerptOf } from '#service/pipelines/formats/prometheus-format.ts';
import { readPrometheusLine } from '#service/pipelines/formats/prometheus-line.ts';

const read = (text: string, device: string | undefined = 'node', pipelineDevice?: string) =>
  readToSamples({ bytes: Buffer.from(text), device }, { nowMs: 0, pipelineDevice });

// The example of https://prometheus.io/docs/instrumenting/exposition_formats/
const EXAMPLE = String.raw`# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# A histogram, which has a pretty complex representation in the text format:
# HELP http_request_duration_seconds A histogram of the request duration.
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.05"} 24054
http_request_duration_seconds_bucket{le="+Inf"} 144320
http_request_duration_seconds_sum 53423
http_request_duration_seconds_count 144320

# Finally a summary, which has a complex representation, too:
# HELP rpc_duration_seconds A summary of the RPC duration in seconds.
# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.01"} 3102
rpc_duration_seconds_sum 1.7560473e+07
`;

describe('Prometheus', () => {
  test('text by its own example', () => {
    const { format, samples, rejections, noValues } = read(EXAMPLE);
    expect(format).toBe('prometheus');
    expect(samples).toEqual([
      {
        device: 'node',
        ts: 1_395_066_363_000,
        values: {
          'http_requests_total.code.200.method.post': 1_027,
          'http_requests_total.code.400.method.post': 3,
        },
      },
      {
        device: 'node',
        values: {
          'msdos_file_access_time_seconds.error.Cannot_find_file:__FILE.TXT_.path.C:_DIR_FILE.TXT': 1_458_255_915,
          metric_without_timestamp_and_labels: 12.47,
          'http_request_duration_seconds_bucket.le.0.05': 24_054,
          'http_request_duration_seconds_bucket.le._Inf': 144_320,
          http_request_duration_seconds_sum: 53_423,
          http_request_duration_seconds_count: 144_320,
          'rpc_duration_seconds.quantile.0.01': 3_102,
          rpc_duration_seconds_sum: 17_560_473,
        },
      },
    ]);
    // something_weird is infinity.
    expect([rejections, noValues]).toEqual([[], 1]);
  });

  test('names its series by name and labels, sorted', () => {
    expect(read('http_requests_total{method="get",code="200"} 1').samples).toEqual([
      { device: 'node', values: { 'http_requests_total.code.200.method.get': 1 } },
    ]);
  });

  test('belongs to the named device, otherwise to the pipeline', () => {
    expect(read('up 1', 'by-config', 'by-pipeline').samples).toMatchObject([{ device: 'by-config' }]);
    const bytes = Buffer.from('up 1');
    const reading = readToSamples({ bytes }, { nowMs: 0, pipelineDevice: 'exporter' });
    expect(reading.samples).toMatchObject([{ device: 'exporter' }]);
  });

  test('supports times in seconds, exemplars and the end of OpenMetrics', () => {
    const text = [
      '# TYPE foo counter',
      'foo_total 17.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67 1520879607.7',
      '# EOF',
      'late 1',
    ].join('\n');
    expect(read(text)).toMatchObject({
      samples: [{ ts: 1_520_879_607_789, values: { foo_total: 17 } }],
      rejections: [{ reason: 'invalid-line', detail: 'Line 4 comes after # EOF.' }],
    });
  });

  test('accepts quoted names as in Prometheus 3', () => {
    expect(read('# TYPE x gauge\n{"http.server.duration", route="/a b"} 3').samples).toMatchObject([
      { values: { 'http.server.duration.route./a_b': 3 } },
    ]);
  });

  test('splits more series than a sample can have', () => {
    const { samples } = read(
      Array.from({ length: 450 }, (_, index) => `series_${index} ${index}`).join('\r\n'),
    );
    expect(samples.map(({ values }) => Object.keys(values).length)).toEqual([200, 200, 50]);
  });

  test.each([
    ['up', 'Line 2 has the invalid value "".'],
    ['up one', 'Line 2 has the invalid value "one".'],
    ['up 1 2 3', 'Line 2 has more than a value and a timestamp.'],
    ['up 1 noon', 'Line 2 has the invalid timestamp "noon".'],
    ['2up 1', 'Line 2 does not begin with a metric name.'],
    ['up{a="1" 2', 'Line 2 has neither , nor } at column 10.'],
    ['up{a=1} 2', 'Line 2 has no quoted value at column 6.'],
    ['up{a} 2', 'Line 2 has no = at column 5.'],
    ['up{="1"} 2', 'Line 2 has no label name at column 4.'],
    ['up{a="1",a="2"} 2', 'Line 2 has the label a twice.'],
    [String.raw`up{a="\t"} 2`, String.raw`Line 2 has the unknown escape \t.`],
    ['{"a",b="1"}', 'Line 2 has the invalid value "".'],
    ['up{a="1', 'Line 2 has no quoted value at column 6.'],
    ['boiler-7', 'Line 2 has no space at column 7.'],
    ['0x1p3 1', 'Line 2 does not begin with a metric name.'],
  ])('rejects only the line %j', (line, detail) => {
    const { samples, rejections } = read(`first 1\n${line}\nlast 3`);
    expect(samples).toEqual([{ device: 'node', values: { first: 1, last: 3 } }]);
    expect(rejections).toEqual([{ reason: 'invalid-line', detail, samples: 1, lines: [1] }]);
  });

  test('rejects a series that occurs twice', () => {
    expect(read('a 1\nb 2\na 3').rejections).toMatchObject([
      {
        reason: 'duplicate-metric',
        detail: 'Line 3 repeats a. Remove one of the lines.',
        lines: [0, 2],
      },
    ]);
  });

  test('counts NaN and infinity separately: an idle summary is not a rejection', () => {
    const idle = 'rpc_seconds{quantile="0.5"} NaN\nrpc_seconds{quantile="0.9"} nan\n';
    expect(read(`${idle}rpc_seconds_sum 0\nlimit_bytes +Inf\nleast -Inf`)).toMatchObject({
      samples: [{ values: { rpc_seconds_sum: 0 } }],
      rejections: [],
      noValues: 4,
    });
    expect(read(idle)).toMatchObject({ samples: [], rejections: [], noValues: 2 });
  });

  const UNAME = `node_uname_info{domainname="(none)",machine="x86_64",nodename="${'n'.repeat(40)}",release="6.1.0-18-amd64",sysname="Linux",version="#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)"} 1`;
  const metricsIn = (text: string): string[] =>
    read(text).samples.flatMap(({ values }) => Object.keys(values));

  test('shortens a name of more than 128 characters to its beginning and a hash', () => {
    const [metric = ''] = metricsIn(UNAME);
    expect(metric).toHaveLength(128);
    expect(metric).toMatch(/^node_uname_info\.domainname\._none_\.machine\.x86_64\..*\.[0-9a-f]{16}$/);
    expect(metricsIn(UNAME)).toEqual([metric]);
  });

  test('shortens names with the same beginning to different names, even if only replaced characters differ', () => {
    const long = 'x'.repeat(150);
    const text = ['a', 'b', 'b c', 'b?c'].map((end) => `m{l="${long}${end}"} 1`).join('\n');
    expect(new Set(metricsIn(text)).size).toBe(4);
  });

  test('is excerpted to lines that parse like the whole', () => {
    const text = '# TYPE a gauge\na 1\nb 2\na{x="1"} NaN\nnot a line\nb{y="1"} 3\n# EOF\nlate 1\n';
    const keep = (metrics: string[], numbers: number[] = []) =>
      excerptOf(text, { metrics: new Set(metrics), numbers: new Set(numbers) });
    expect(keep(['b', 'a.x.1'])).toEqual({ text: 'b 2\n# EOF\n', samples: 1 });
    expect(keep(['b.y.1'], [1])).toEqual({ text: 'a 1\nb{y="1"} 3\n# EOF\n', samples: 2 });
    const bad = keep([], [4, 7]);
    expect(bad.text).toBe('# HELP excerpt Lines of a longer text.\nnot a line\n# EOF\nlate 1\n');
    expect(read(bad.text)).toMatchObject({
      format: 'prometheus',
      rejections: [{ reason: 'invalid-line' }, { reason: 'invalid-line' }],
    });
  });

  test.each([
    'temp=21',
    'weather,location=us temperature=82 1465839830100400200',
    'hello there',
    'boiler-7',
    'true',
    '# only',
  ])('is not %j', (text) => expect(read(text).format).not.toBe('prometheus'));

  const name = fc.stringMatching(/^[A-Za-z_:][A-Za-z0-9_:]{0,12}$/);
  const label = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
  const escaped = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

  test('a written line is read back unchanged', () => {
    fc.assert(
      fc.property(
        name,
        fc.uniqueArray(fc.tuple(label, fc.string({ unit: 'grapheme', minLength: 1 })), {
          selector: ([key]) => key,
        }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.option(fc.integer(), { nil: undefined }),
        (metric, labels, value, time) => {
          const inside = labels.map(([key, text]) => `${key}="${escaped(text)}"`).join(', ');
          const written = `${metric}${labels.length === 0 ? '' : `{${inside}}`} ${value}${time === undefined ? '' : ` ${time}`}`;
          expect(readPrometheusLine(written)).toEqual({
            name: metric,
            labels: new Map(labels),
            value: value === 0 ? expect.closeTo(0) : value,
            time,
          });
        },
      ),
    );
  });

  test('any text is read without an error', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ -~]{0,40}$/)), (lines) => {
        read(`up 1\n${lines.join('\n')}`);
      }),
    );
  });
});
