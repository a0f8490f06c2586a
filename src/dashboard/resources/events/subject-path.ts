import { paths, withQuery } from '../../paths.ts';

/** The page of what an event is about; null where it has none (yet, or no more). */
export const subjectPath = (subject: { type: string; id: string }): string | null => {
  if (subject.type === 'device') return paths.device(subject.id);
  if (subject.type === 'api-key') return withQuery(paths.apiKeys, { key: subject.id });
  if (subject.type === 'webhook') return withQuery(paths.notifications, { webhook: subject.id });
  if (subject.type === 'destination') return withQuery(paths.destinations, { destination: subject.id });
  if (subject.type === 'pipeline') return paths.pipeline(subject.id);
  return null;
};
