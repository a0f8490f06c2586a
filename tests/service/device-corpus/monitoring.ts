import type { DevicePayload } from './device-payload.ts';

const collectd = 'https://collectd.org/wiki/index.php/JSON';
const put = 'http://opentsdb.net/docs/build/html/api_http/put.html';
const telnet = 'http://opentsdb.net/docs/build/html/api_telnet/put.html';
const graphite = 'https://graphite.readthedocs.io/en/latest/feeding-carbon.html';
const AT_MS = Date.parse('2026-11-21T09:30:00Z');
const AT_S = AT_MS / 1_000;

export const monitoringPayloads: readonly DevicePayload[] = [
  {
    name: 'values of collectd with one and several data sources',
    source: collectd,
    format: 'collectd',
    payload: [
      {
        values: [1_901_474_177],
        dstypes: ['counter'],
        dsnames: ['value'],
        time: AT_S,
        interval: 10,
        host: 'leeloo.octo.it',
        plugin: 'cpu',
        plugin_instance: '0',
        type: 'cpu',
        type_instance: 'idle',
      },
      {
        values: [12, null],
        dstypes: ['derive', 'derive'],
        dsnames: ['rx', 'tx'],
        time: AT_S,
        interval: 10,
        host: 'leeloo.octo.it',
        plugin: 'interface',
        plugin_instance: 'eth0',
        type: 'if_octets',
        type_instance: '',
      },
    ],
    samples: [
      {
        device: 'leeloo.octo.it',
        ts: AT_MS,
        values: { 'cpu-0/cpu-idle': 1_901_474_177, 'interface-eth0/if_octets/rx': 12 },
      },
    ],
  },
  {
    name: 'data points of OpenTSDB as JSON, of two devices',
    source: put,
    format: 'opentsdb',
    payload: [
      { metric: 'sys.cpu.nice', timestamp: AT_S, value: 18, tags: { host: 'web01', dc: 'lga' } },
      { metric: 'sys.cpu.nice', timestamp: AT_MS, value: '9', tags: { host: 'web02', dc: 'lga' } },
    ],
    samples: [
      { device: 'web01', ts: AT_MS, values: { 'sys.cpu.nice/dc:lga': 18 } },
      { device: 'web02', ts: AT_MS, values: { 'sys.cpu.nice/dc:lga': 9 } },
    ],
  },
  {
    name: 'lines of OpenTSDB',
    source: telnet,
    format: 'opentsdb-text',
    payload: `put sys.cpu.user ${AT_S} 42.5 host=webserver01 cpu=0\nput sys.cpu.user ${AT_S} 3 host=webserver01 cpu=1\n`,
    samples: [
      {
        device: 'webserver01',
        ts: AT_MS,
        values: { 'sys.cpu.user/cpu:0': 42.5, 'sys.cpu.user/cpu:1': 3 },
      },
    ],
  },
  {
    name: 'lines of Graphite, one without a time',
    source: graphite,
    format: 'graphite',
    level: 'rack-1',
    topic: 'carbon/rack-1',
    payload: `local.random.diceroll 4 ${AT_S}\nlocal.random.coin 1 -1\n`,
    samples: [
      { device: 'rack-1', ts: AT_MS, values: { 'local.random.diceroll': 4 } },
      { device: 'rack-1', values: { 'local.random.coin': 1 } },
    ],
  },
  {
    name: 'lines of Graphite with tags',
    source: 'https://graphite.readthedocs.io/en/latest/tags.html',
    format: 'graphite',
    payload: `disk.used;datacenter=dc1;rack=a1;host=web01 1.5 ${AT_S}`,
    samples: [{ device: 'web01', ts: AT_MS, values: { 'disk.used/datacenter:dc1/rack:a1': 1.5 } }],
  },
  {
    name: 'a value of the plugin mqtt of collectd',
    source: 'https://www.collectd.org/documentation/manpages/collectd.conf.html',
    format: 'collectd-mqtt',
    topic: 'collectd/leeloo.octo.it/load/load',
    payload: `${AT_S}.250:0.12:0.3:0.25`,
    samples: [
      {
        device: 'leeloo.octo.it',
        ts: AT_MS + 250,
        values: { 'load/load/0': 0.12, 'load/load/1': 0.3, 'load/load/2': 0.25 },
      },
    ],
  },
];
