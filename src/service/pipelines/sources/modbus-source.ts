import type { ModbusRegister } from '#contract/pipeline-types.ts';
import { slugOf } from '#contract/slug-of.ts';
import { OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import type { MessageRejection } from '../formats/message.ts';
import { createModbusClient, ModbusException, type ModbusClient } from './modbus-client.ts';
import { blockOf, blocksOf, valueIn, type Block } from './modbus-registers.ts';
import { source } from './source.ts';

const ANSWER_WITHIN_MS = 5_000;

type Reading = { values: Map<string, number | boolean>; rejections: MessageRejection[] };

const rejectionOf = ({ metric }: ModbusRegister, reason: string, detail: string): MessageRejection => ({
  reason,
  detail,
  metric,
  samples: 1,
});

/** Reads a block into a reading. If the device rejects the block, reads each register separately. */
const readBlock = async (
  client: ModbusClient,
  block: Block,
  signal: AbortSignal,
  into: Reading,
): Promise<void> => {
  let answer: Buffer;
  try {
    answer = await client.read(block, signal);
  } catch (error) {
    if (!(error instanceof ModbusException) || !error.isOfRequest) throw error;
    const [first, ...others] = block.registers;
    if (first !== undefined && others.length === 0)
      into.rejections.push(rejectionOf(first, 'modbus-exception', `${error.message}.`));
    else for (const register of block.registers) await readBlock(client, blockOf(register), signal, into);
    return;
  }
  for (const register of block.registers) {
    const value = valueIn(block, register, answer);
    if (typeof value === 'object') into.rejections.push(rejectionOf(register, value.reason, value.detail));
    else into.values.set(register.metric, value);
  }
};

export const modbusSource = source({
  type: 'modbus',
  kind: 'polled',
  label: 'Modbus TCP',
  description: 'Reads registers and coils of a device.',
  open: ({ config, outbound, pipeline, signal, submit }) => {
    const { host, port, unit } = config;
    const blocks = blocksOf(config.registers);
    const device = config.device ?? (slugOf(pipeline.name, 128) || pipeline.id);
    const deviceNames = new Map(config.device === undefined ? [[device, pipeline.name]] : []);
    let client: ModbusClient | undefined;
    signal.addEventListener('abort', () => client?.close(), { once: true });

    const connected = async (): Promise<ModbusClient> => {
      if (client?.isOpen === true) return client;
      const socket = await outbound.connect({ host, port, isTls: false }, signal);
      return (client = createModbusClient(socket, {
        unit,
        host: `${host}:${port}`,
        timeoutMs: ANSWER_WITHIN_MS,
      }));
    };

    const readAll = async (): Promise<Reading> => {
      const reading: Reading = { values: new Map(), rejections: [] };
      const open = await connected();
      try {
        for (const block of blocks) await readBlock(open, block, signal, reading);
      } catch (error) {
        open.close();
        throw error instanceof ModbusException
          ? new OutboundFailure(`${host}:${port}: ${error.message}.`, { cause: error })
          : error;
      }
      return reading;
    };

    return async () => {
      const wasOpen = client?.isOpen === true;
      // The device may close a kept connection just when it is reused.
      const { values, rejections } = await readAll().catch((error: unknown) => {
        if (!wasOpen || signal.aborted) throw error;
        return readAll();
      });
      const from = { topic: null, device, deviceNames };
      const submitted: Promise<unknown>[] = [];
      if (values.size > 0) {
        const sample = { device, values: Object.fromEntries(values) };
        submitted.push(submit({ ...from, bytes: Buffer.from(JSON.stringify(sample)) }));
      }
      if (rejections.length > 0) {
        const asked = config.registers.filter(({ metric }) =>
          rejections.some((each) => each.metric === metric),
        );
        const bytes = Buffer.from(JSON.stringify({ device, registers: asked }));
        submitted.push(submit({ ...from, bytes, rejections }));
      }
      await Promise.all(submitted);
    };
  },
});
