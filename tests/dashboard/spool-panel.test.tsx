import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Spool } from '#contract/pipeline-state.ts';
import { SpoolPanel } from '#dashboard/pages/pipeline/spool-panel.tsx';

const waiting: Spool = {
  bytes: 120_000_000,
  limitBytes: 1_000_000_000,
  oldestAt: new Date(Date.now() - 3 * 3_600_000).toISOString(),
  drainsInSeconds: 130,
  fullInSeconds: null,
};
const said = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

test('the spool shows its size, its limit, its age and its end', () => {
  render(<SpoolPanel spool={waiting} destination="Lake" rejectsMessages={false} />);
  expect(said('Size')).toBe('120 MB 12% of 1 GB');
  expect(said('Oldest')).toBe('3 h ago');
  expect(said('Drained in')).toBe('about 2 min');
  expect(said('Full in')).toBe('Backlog stable');
});

test('while a destination is down it shows when the spool is full', () => {
  render(
    <SpoolPanel
      spool={{ ...waiting, drainsInSeconds: null, fullInSeconds: 5 * 3_600 + 60 }}
      destination="Lake"
      rejectsMessages={false}
    />,
  );
  expect(said('Drained in')).toBe('Not draining');
  expect(said('Full in')).toBe('about 5 h');
});

test('a spool at its limit is full', () => {
  render(
    <SpoolPanel
      spool={{ ...waiting, bytes: waiting.limitBytes }}
      destination="Lake"
      rejectsMessages={false}
    />,
  );
  expect(said('Size')).toBe('1 GB 100% of 1 GB');
  expect(said('Full in')).toBe('Full: new messages are rejected');
});

test('a full spool says that messages are rejected, even with some space left', () => {
  render(<SpoolPanel spool={{ ...waiting, bytes: 980_000_000 }} destination="Lake" rejectsMessages />);
  expect(said('Size')).toBe('980 MB 98% of 1 GB');
  expect(said('Full in')).toBe('Full: new messages are rejected');
});

test('an empty spool keeps its panel, so that an outage moves nothing', () => {
  const empty = { ...waiting, bytes: 0, oldestAt: null, drainsInSeconds: null };
  render(<SpoolPanel spool={empty} destination="Lake" rejectsMessages={false} />);
  expect(['Size', 'Oldest', 'Drained in', 'Full in'].map(said)).toEqual([
    '0 bytes 0% of 1 GB',
    '–',
    '–',
    '–',
  ]);
});
