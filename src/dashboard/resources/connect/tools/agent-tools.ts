import type { ConnectTool } from './connect-tool.ts';

export const agentTools: readonly ConnectTool[] = [
  {
    id: 'telegraf',
    label: 'Telegraf',
    group: 'Agents',
    summary: 'Metrics of machines and anything else that Telegraf collects.',
    docs: 'https://docs.influxdata.com/telegraf/v1/output-plugins/influxdb_v2/',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'telegraf.conf',
        code: `%one%[agent]
%one%  hostname = "{{device}}"
%one%
[[outputs.influxdb_v2]]
  urls = ["{{baseUrl}}"]
  token = "{{key}}"
  organization = "penstock"
  bucket = "penstock"`,
      },
    ],
    notes: [
      'The tag device_id, host or device names the device. Telegraf adds host to every metric.',
      'Penstock ignores organization and bucket, which Telegraf requires.',
    ],
    suitsOneDevice: true,
  },
  {
    id: 'collectd',
    label: 'collectd',
    group: 'Agents',
    summary: 'Metrics of machines, with the write_http plugin.',
    docs: 'https://www.collectd.org/documentation/manpages/collectd.conf.html#plugin_write_http',
    via: 'http',
    pipelines: [{ name: 'collectd', type: 'http' }],
    settings: [
      {
        kind: 'code',
        label: 'collectd.conf',
        code: `%one%Hostname "{{device}}"
LoadPlugin write_http
<Plugin write_http>
  <Node "penstock">
    URL "{{pipelineUrl}}"
    Header "Authorization: Bearer {{key}}"
    Format "JSON"
    StoreRates true
  </Node>
</Plugin>`,
      },
    ],
    notes: ['The Hostname of collectd is the external ID of the device.'],
    suitsOneDevice: true,
  },
  {
    id: 'prometheus',
    label: 'Prometheus',
    group: 'Agents',
    summary: 'Series that Prometheus, Grafana Alloy or vmagent scrape, with remote write.',
    docs: 'https://prometheus.io/docs/prometheus/latest/configuration/configuration/#remote_write',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'prometheus.yml',
        code: `remote_write:
  - url: {{baseUrl}}/api/v1/write
    authorization:
      credentials: {{key}}
    write_relabel_configs:
      - source_labels: [__name__]
        regex: up|node_load1|node_memory_MemAvailable_bytes|node_filesystem_avail_bytes
        action: keep`,
      },
    ],
    notes: [
      'The label device_id, instance, host or device names the device. Prometheus sets instance, such as pi:9100.',
      'write_relabel_configs chooses the metrics to store. Without it, Prometheus sends all of them.',
    ],
  },
  {
    id: 'opentelemetry',
    label: 'OpenTelemetry Collector',
    group: 'Agents',
    summary: 'Metrics of the Collector and of SDKs, over OTLP/HTTP.',
    docs: 'https://opentelemetry.io/docs/collector/configuration/',
    via: 'http',
    settings: [
      {
        kind: 'code',
        label: 'Configuration of the Collector',
        code: `receivers:
  hostmetrics:
    collection_interval: 10s
    scrapers:
      cpu:
      memory:
processors:
%any%  resourcedetection:
%any%    detectors: [env, system]
%one%  resource:
%one%    attributes:
%one%      - { key: device_id, value: {{device}}, action: upsert }
exporters:
  otlphttp/penstock:
    endpoint: {{baseUrl}}/otlp
    headers:
      Authorization: Bearer {{key}}
service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
%any%      processors: [resourcedetection]
%one%      processors: [resource]
      exporters: [otlphttp/penstock]`,
      },
      {
        kind: 'code',
        label: 'Or the environment of an SDK',
        code: `OTEL_EXPORTER_OTLP_ENDPOINT={{baseUrl}}/otlp
OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer {{key}}"
OTEL_RESOURCE_ATTRIBUTES=device_id={{device}}
OTEL_TRACES_EXPORTER=none
OTEL_LOGS_EXPORTER=none`,
      },
    ],
    notes: [
      'The attribute device_id, device.id, host.name or service.instance.id names the device.',
      'hostmetrics, resourcedetection and resource belong to the contrib distribution of the Collector.',
    ],
    suitsOneDevice: true,
  },
];
