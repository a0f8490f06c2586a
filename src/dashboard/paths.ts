import type { Event } from '#contract/events.ts';

/** Every address of the dashboard, in one place. */
export const paths = {
  signIn: '/signin',
  overview: '/',
  devices: '/devices',
  device: (id: string) => `/devices/${id}`,
  connect: '/connect',
  pipelines: '/pipelines',
  newPipeline: '/pipelines/new',
  pipeline: (id: string) => `/pipelines/${id}`,
  editPipeline: (id: string) => `/pipelines/${id}/edit`,
  telemetry: '/telemetry',
  activity: '/activity',
  settings: '/settings',
  apiKeys: '/settings/api-keys',
  notifications: '/settings/notifications',
  destinations: '/settings/destinations',
  network: '/settings/network',
  connection: '/settings/connection',
  appearance: '/settings/appearance',
  apiReference: '/settings/api',
  about: '/settings/about',
} as const;

/** The page of the subject of an event; null if it has none. */
export const subjectPath = ({ type, id, name }: Event['subject']): string | null => {
  if (type === 'device') return paths.device(id);
  if (type === 'device-type') return withQuery(paths.devices, { type: name });
  if (type === 'pipeline') return paths.pipeline(id);
  if (type === 'api-key') return withQuery(paths.apiKeys, { key: id });
  if (type === 'webhook') return withQuery(paths.notifications, { webhook: id });
  if (type === 'network') return paths.network;
  if (type === 'destination') return withQuery(paths.destinations, { destination: id });
  return null;
};

/** A path with a query; empty values are left out, lists repeat their name. */
export const withQuery = (
  path: string,
  query: Record<string, string | readonly string[] | undefined>,
): string => {
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values ?? []].flat()) if (value !== '') params.append(name, value);
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
};
