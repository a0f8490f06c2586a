import type { Actor } from '../platform/http/auth.ts';
import { notFound } from '../platform/http/http-problem.ts';

/** @throws HttpProblem 404 if the token is limited to other devices, as if the device did not exist */
export const requireVisible = (actor: Actor, deviceId: string): void => {
  if (actor.devices !== null && !actor.devices.includes(deviceId)) throw notFound('device');
};
