import { hasPort, pipelineConfigs } from '#contract/pipeline-types.ts';
import { invalidField } from '../../platform/http/http-problem.ts';
import {
  requirePermitted,
  targetOfUrl,
  type ConnectionTarget,
} from '../../platform/outbound/connection-target.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

const MODBUS_PORT = 502;

type Config = Record<string, unknown>;

type Target = ConnectionTarget & {
  /** The field with the address. */
  pointer: string;
  hasPassword: boolean;
};

/** The address that a config connects to; undefined: none, or not known yet. */
export const targetOf = (type: string, config: Config): Target | undefined => {
  if (!Object.hasOwn(pipelineConfigs, type)) return undefined;
  const { url, host, port } = config;
  const target = typeof url === 'string' ? targetOfUrl(url) : undefined;
  if (typeof url === 'string' && target !== undefined) {
    const { username, password } = new URL(url);
    return { ...target, pointer: '/config/url', hasPassword: username !== '' || password !== '' };
  }
  if (typeof host !== 'string' || hasPort(host)) return undefined;
  const number = typeof port === 'number' && port > 0 ? port : MODBUS_PORT;
  return {
    pointer: '/config/host',
    host,
    port: number,
    hasPassword: false,
    key: JSON.stringify([type, host, number]),
  };
};

/** The problem of an address with a user name or password: everyone who can see the pipeline would see it. */
export const credentialProblem = (
  type: string,
  config: Config,
): { pointer: string; detail: string } | undefined => {
  const target = targetOf(type, config);
  if (target?.hasPassword !== true) return undefined;
  return {
    pointer: target.pointer,
    detail:
      'Do not put secrets in the URL: everyone who can see the pipeline can see them. Use the fields for secrets.',
  };
};

/**
 * Rejects an address that contains a password, or whose text shows that it is forbidden.
 * @throws HttpProblem 422
 */
export const requireTarget = (outbound: Outbound, type: string, config: Config): void => {
  const target = targetOf(type, config);
  if (target === undefined) return;
  const problem = credentialProblem(type, config);
  if (problem !== undefined) throw invalidField(problem.pointer, 'credentials', problem.detail);
  requirePermitted(outbound.findForbiddenHost(target), target.pointer);
};
