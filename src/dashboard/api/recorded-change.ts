import { useSyncExternalStore } from 'react';
import type { EndpointShape } from '#contract/endpoint.ts';
import { useSession } from './session.ts';
import { createListeners } from '../ui/browser/listeners.ts';

const { subscribe, notify } = createListeners();
/** The token with which this tab made its latest recorded change. */
let changedWith: string | null = null;

/** Whether a successful request creates an event with the session as its actor. */
const isRecorded = ({ method, path, safe, scope }: EndpointShape): boolean =>
  method !== 'GET' &&
  safe !== true &&
  !path.endsWith('/test') &&
  !['none', 'any', 'telemetry:write'].includes(scope);

/** Whether a request asks only what would change. */
export const isDryRun = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;

/** Notes a successful request and the token that it was sent with. */
export const recordChange = (endpoint: EndpointShape, token: string | null) => {
  if (token === changedWith || !isRecorded(endpoint)) return;
  changedWith = token;
  notify();
};

/** Whether this session has made a change in this tab that the service recorded as an event. */
export const useHasRecordedChange = (): boolean => {
  const current = useSession();
  const token = useSyncExternalStore(subscribe, () => changedWith);
  return current.status === 'active' && current.stored.token === token;
};
