import type { Event } from '#contract/events.ts';
import { parseRangeEnd } from '#contract/time-range.ts';
import { type EventFilters, eventQueries } from '../../resources/events/event-queries.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';

/** The ranges that end now. */
export const spans = [
  { value: '', label: 'All' },
  { value: '-1h', label: '1 h' },
  { value: '-24h', label: '24 h' },
  { value: '-7d', label: '7 d' },
  { value: '-30d', label: '30 d' },
] as const;
export type Span = (typeof spans)[number]['value'];

/** The range in the URL; null for one between dates. */
export const readSpan = ({ from, to }: EventFilters): Span | null =>
  to === undefined ? (spans.find(({ value }) => value === (from ?? ''))?.value ?? null) : null;

const readMoment = (text: string | null): string | undefined =>
  text !== null && parseRangeEnd(text, 0) !== undefined ? text : undefined;

/** Reads the filters in the URL. Unknown values are ignored, so that an old link still works. */
export const readFilters = (params: URLSearchParams): EventFilters => {
  const type = [...new Set(params.getAll('type'))]
    .filter((name) => /^[a-z-]{1,31}\.[a-z-]{1,31}$/.test(name))
    .slice(0, 50);
  const subject = params.get('subject') ?? '';
  const [from, to] = [readMoment(params.get('from')), readMoment(params.get('to'))];
  return {
    ...(type.length > 0 && { type }),
    ...(/^[a-z]{3}_[0-9a-z]{26}$/.test(subject) && { subject }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
};

export const isFiltered = (filters: EventFilters): boolean => Object.keys(filters).length > 0;

/** Whether an event of the stream matches the filters. */
export const matchesFilters = (
  event: Event,
  { type, subject, from, to }: EventFilters,
  nowMs: number,
): boolean => {
  const at = Date.parse(event.at);
  return (
    (type === undefined || type.includes(event.type)) &&
    (subject === undefined || event.subject.id === subject) &&
    (from === undefined || at >= (parseRangeEnd(from, nowMs) ?? 0)) &&
    (to === undefined || at < (parseRangeEnd(to, nowMs) ?? Infinity))
  );
};

export const activityLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(eventQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
