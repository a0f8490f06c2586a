import { monitorEventLoopDelay } from 'node:perf_hooks';
import { freePort } from '../../service/free-port.ts';
import { startTestService } from '../../service/start-test-service.ts';

export type MeasuredService = { url: string; token: string; mqttPort: number };
export type Stall = { longestMs: number };

const RESOLUTION_MS = 1;

/** The service in a separate process, which reports the longest stall of its event loop on demand. */
export const runMeasuredService = async (): Promise<void> => {
  const mqttPort = await freePort();
  const test = await startTestService({ env: { MQTT_PORT: String(mqttPort) } });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const close = async () => {
    await test.close();
    delay.disable();
    process.disconnect();
  };
  process.on('message', (order: 'reset' | 'stall' | 'close') => {
    if (order === 'reset') delay.reset();
    else if (order === 'stall')
      process.send?.({ longestMs: delay.max / 1e6 - RESOLUTION_MS } satisfies Stall);
    else void close();
  });
  process.send?.({ url: test.url, token: test.token, mqttPort } satisfies MeasuredService);
};
