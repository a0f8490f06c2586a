import type { DevicePayload } from './device-payload.ts';

const AT = '2026-11-21T09:30:00Z';
const ts = Date.parse(AT);
const seconds = ts / 1_000;
const exposition = 'https://prometheus.io/docs/instrumenting/exposition_formats/';
const rfc8428 = 'https://www.rfc-editor.org/rfc/rfc8428';

/** Text, SenML and single values. */
export const textPayloads: readonly DevicePayload[] = [
  {
    name: 'counters of Prometheus with times',
    source: exposition,
    format: 'prometheus',
    topic: 'node/web-1',
    level: 'web-1',
    payload: `# HELP http_requests_total The total number of HTTP requests.\n# TYPE http_requests_total counter\nhttp_requests_total{method="post",code="200"} 1027 ${ts}\nhttp_requests_total{method="post",code="400"}    3 ${ts}\n`,
    samples: [
      {
        device: 'web-1',
        ts,
        values: {
          'http_requests_total.code.200.method.post': 1_027,
          'http_requests_total.code.400.method.post': 3,
        },
      },
    ],
  },
  {
    name: 'a line of Prometheus without a time',
    source: exposition,
    format: 'prometheus',
    level: 'web-1',
    topic: 'node/web-1',
    payload: 'metric_without_timestamp_and_labels 12.47\n',
    samples: [{ device: 'web-1', values: { metric_without_timestamp_and_labels: 12.47 } }],
  },
  {
    name: 'a histogram of Prometheus',
    source: exposition,
    format: 'prometheus',
    level: 'web-1',
    topic: 'node/web-1',
    payload:
      '# TYPE http_request_duration_seconds histogram\nhttp_request_duration_seconds_bucket{le="0.05"} 24054\nhttp_request_duration_seconds_bucket{le="+Inf"} 144320\nhttp_request_duration_seconds_sum 53423\nhttp_request_duration_seconds_count 144320\n',
    samples: [
      {
        device: 'web-1',
        values: {
          'http_request_duration_seconds_bucket.le.0.05': 24_054,
          'http_request_duration_seconds_bucket.le._Inf': 144_320,
          http_request_duration_seconds_sum: 53_423,
          http_request_duration_seconds_count: 144_320,
        },
      },
    ],
  },
  {
    name: 'a summary of Prometheus without observations',
    source: exposition,
    format: 'prometheus',
    level: 'web-1',
    topic: 'node/web-1',
    payload:
      '# TYPE rpc_duration_seconds summary\nrpc_duration_seconds{quantile="0.5"} NaN\nrpc_duration_seconds_sum 0\nrpc_duration_seconds_count 0\n',
    samples: [{ device: 'web-1', values: { rpc_duration_seconds_sum: 0, rpc_duration_seconds_count: 0 } }],
    noValues: 1,
  },
  {
    name: 'OpenMetrics with its end',
    source: 'https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md',
    format: 'prometheus',
    level: 'web-1',
    topic: 'node/web-1',
    payload:
      '# TYPE acme_http_router_request_seconds summary\n# UNIT acme_http_router_request_seconds seconds\nacme_http_router_request_seconds_sum{path="/api/v1",method="GET"} 9036.32\n# EOF\n',
    samples: [
      {
        device: 'web-1',
        values: { 'acme_http_router_request_seconds_sum.method.GET.path./api/v1': 9_036.32 },
      },
    ],
  },
  {
    name: 'the metrics of the exporter of a Ruuvi Gateway',
    source: 'https://docs.ruuvi.com/gw-examples/polling-mode/poll-endpoint-metrics',
    format: 'prometheus',
    level: 'gw',
    topic: 'metrics/gw',
    payload:
      'ruuvigw_received_advertisements{phy="1M",ext="0"} 14\nruuvigw_uptime_us 13010106\nruuvigw_heap_free_bytes{capability="MALLOC_CAP_EXEC"} 195548\n',
    samples: [
      {
        device: 'gw',
        values: {
          'ruuvigw_received_advertisements.ext.0.phy.1M': 14,
          ruuvigw_uptime_us: 13_010_106,
          'ruuvigw_heap_free_bytes.capability.MALLOC_CAP_EXEC': 195_548,
        },
      },
    ],
  },
  {
    name: 'a line of Graphite with a fraction of a second',
    source: 'https://graphite.readthedocs.io/en/latest/feeding-carbon.html',
    format: 'graphite',
    level: 'rack-2',
    topic: 'carbon/rack-2',
    payload: `servers.rack2.load 0.75 ${seconds}.5`,
    samples: [{ device: 'rack-2', ts: ts + 500, values: { 'servers.rack2.load': 0.75 } }],
  },
  {
    name: 'columns without names',
    source: 'https://www.rfc-editor.org/rfc/rfc4180',
    format: 'not-json',
    level: 'logger',
    topic: 'csv/logger',
    payload: `${AT},21.5,48\n`,
    samples: [],
    rejections: ['not-json'],
  },
  {
    name: 'CSV with a header',
    source: 'https://www.rfc-editor.org/rfc/rfc4180',
    format: 'csv',
    level: 'logger',
    topic: 'csv/logger',
    payload: `time,temp,humidity\n${AT},21.5,48\n`,
    samples: [{ device: 'logger', ts, values: { temp: 21.5, humidity: 48 } }],
  },
  {
    name: 'lines of JSON',
    source: 'https://github.com/ndjson/ndjson-spec',
    format: 'ndjson',
    level: 'logger',
    topic: 'ndjson/logger',
    payload: `{"ts":${ts},"temp":21.5}\n{"ts":${ts + 1_000},"temp":21.6}\n`,
    samples: [
      { device: 'logger', ts, values: { temp: 21.5 } },
      { device: 'logger', ts: ts + 1_000, values: { temp: 21.6 } },
    ],
  },
  {
    name: 'line protocol of InfluxDB, which has an address of its own',
    source: 'https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/',
    format: 'not-json',
    level: 'm',
    topic: 'influx/m',
    payload: `weather,location=us-midwest temperature=82 ${seconds}000000000`,
    samples: [],
    rejections: ['not-json'],
  },
  {
    name: 'a GPS sentence',
    source: 'https://gpsd.gitlab.io/gpsd/NMEA.html',
    format: 'not-json',
    level: 'boat',
    topic: 'nmea/boat',
    payload: '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47',
    samples: [],
    rejections: ['not-json'],
  },
  {
    name: 'XML',
    source: 'https://kno.wled.ge/interfaces/mqtt/',
    format: 'not-json',
    level: 'kitchen',
    topic: 'wled/kitchen/v',
    filter: 'wled/+/#',
    payload: '<?xml version="1.0" ?><vs><ac>128</ac></vs>',
    samples: [],
    rejections: ['not-json'],
  },
  {
    name: 'one measurement of SenML',
    source: rfc8428,
    format: 'senml',
    payload: [{ n: 'urn:dev:ow:10e2073a01080063', u: 'Cel', v: 23.1 }],
    samples: [{ device: 'urn:dev:ow:10e2073a01080063', values: { Cel: 23.1 } }],
    units: { 'urn:dev:ow:10e2073a01080063/Cel': '°C' },
  },
  {
    name: 'voltage and current of SenML at one time',
    source: rfc8428,
    format: 'senml',
    payload: [
      { bn: 'urn:dev:ow:10e2073a01080063:', n: 'voltage', u: 'V', v: 120.1 },
      { n: 'current', u: 'A', v: 1.2 },
    ],
    samples: [{ device: 'urn:dev:ow:10e2073a01080063', values: { voltage: 120.1, current: 1.2 } }],
    units: { 'urn:dev:ow:10e2073a01080063/voltage': 'V', 'urn:dev:ow:10e2073a01080063/current': 'A' },
  },
  {
    name: 'humidity of SenML at several times',
    source: rfc8428,
    format: 'senml',
    payload: [
      { bn: 'urn:dev:ow:10e2073a01080063', bt: seconds, bu: '%RH', v: 20 },
      { u: 'lon', v: 24.30621 },
      { t: 60, v: 20.3 },
    ],
    samples: [
      { device: 'urn:dev:ow:10e2073a01080063', ts, values: { RH: 20, lon: 24.30621 } },
      { device: 'urn:dev:ow:10e2073a01080063', ts: ts + 60_000, values: { RH: 20.3 } },
    ],
    units: { 'urn:dev:ow:10e2073a01080063/RH': '%', 'urn:dev:ow:10e2073a01080063/lon': '°' },
  },
  {
    name: 'different kinds of values of SenML',
    source: rfc8428,
    format: 'senml',
    payload: [
      { bn: 'urn:dev:ow:10e2073a01080063:', n: 'temp', u: 'Cel', v: 23.1 },
      { n: 'label', vs: 'Machine Room' },
      { n: 'open', vb: false },
    ],
    samples: [
      { device: 'urn:dev:ow:10e2073a01080063', values: { temp: 23.1, label: 'Machine Room', open: false } },
    ],
    units: { 'urn:dev:ow:10e2073a01080063/temp': '°C' },
  },
  ...(
    [
      ['ON', 'ON'],
      ['off', 'off'],
      ['true', true],
      ['21.5', 21.5],
      ['-3', -3],
      ['open', 'open'],
      ['nan', null],
      ['unavailable', null],
      ['unknown', null],
      ['None', null],
    ] as const
  ).map(([payload, value]): DevicePayload => ({
    name: `a topic with the value ${payload}`,
    source: 'https://www.home-assistant.io/integrations/mqtt/',
    format: 'topic-value',
    topic: 'home/kitchen/sensor',
    level: 'kitchen',
    filter: 'home/+/#',
    payload,
    samples: value === null ? [] : [{ device: 'kitchen', values: { sensor: value } }],
    ...(value === null && { noValues: 1 }),
  })),
];
