import { pipelineConfigs } from '#contract/pipeline-types.ts';
import { invalidField, Refusal } from '../http/refusal.ts';
import { portOf } from '../outbound/address-rules.ts';
import type { Outbound } from '../outbound/outbound.ts';

const MODBUS_PORT = 502;

type Config = Record<string, unknown>;

type Target = {
  /** The field that names it. */
  pointer: string;
  host: string;
  port: number;
  hasPassword: boolean;
  /** The same for configs that connect to the same place in the same way. */
  key: string;
};

/** Where a config connects to; undefined: nowhere, or it does not tell yet. */
export const targetOf = (type: string, config: Config): Target | undefined => {
  if (!Object.hasOwn(pipelineConfigs, type)) return undefined;
  const { url, host, port } = config;
  if (typeof url === 'string' && URL.canParse(url)) {
    const parsed = new URL(url);
    return {
      pointer: '/config/url',
      host: parsed.hostname,
      port: portOf(parsed),
      hasPassword: parsed.username !== '' || parsed.password !== '',
      key: JSON.stringify([parsed.protocol, parsed.hostname, portOf(parsed)]),
    };
  }
  if (typeof host !== 'string') return undefined;
  const number = typeof port === 'number' && port > 0 ? port : MODBUS_PORT;
  return {
    pointer: '/config/host',
    host,
    port: number,
    hasPassword: false,
    key: JSON.stringify([type, host, number]),
  };
};

/**
 * Refuses an address that holds a password, which everyone would see, or that is forbidden as its text tells.
 * @throws Refusal 422
 */
export const requireTarget = (outbound: Outbound, type: string, config: Config): void => {
  const target = targetOf(type, config);
  if (target === undefined) return;
  const { pointer } = target;
  if (target.hasPassword)
    throw invalidField(
      pointer,
      'credentials',
      'Secrets do not belong into the address: everyone who sees the pipeline sees them. They have fields of their own.',
    );
  const why = outbound.whyHostForbidden(target);
  if (why === undefined) return;
  throw new Refusal('destination-forbidden', why, {
    errors: [{ pointer, code: 'destination-forbidden', detail: why }],
  });
};
