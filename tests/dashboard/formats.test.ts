import { expect, test } from 'vitest';
import { formatAboutSeconds, formatDuration, formatSeconds } from '#dashboard/ui/format/format-duration.ts';
import {
  formatBytes,
  formatCompact,
  formatExactly,
  formatRate,
  plural,
} from '#dashboard/ui/format/format-number.ts';
import { formatRelative } from '#dashboard/ui/format/format-time.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

test('an age is shown in its largest unit, and a distant time as its day', () => {
  const ago = (ms: number) => formatRelative(NOW - ms, NOW, 'utc');
  expect(ago(200)).toBe('just now');
  expect(ago(4_000)).toBe('4 s ago');
  expect(ago(119_000)).toBe('1 min ago');
  expect(ago(7_200_000)).toBe('2 h ago');
  expect(ago(-86_400_000)).toBe('in 1 d');
  expect(ago(40 * 86_400_000)).toBe('Oct 12, 2026');
});

test('an interval is shown exactly as set', () => {
  expect(formatSeconds(0.5)).toBe('0.5 s');
  expect(formatSeconds(10)).toBe('10 s');
  expect(formatSeconds(90)).toBe('1 min 30 s');
  expect(formatSeconds(86_400)).toBe('1 d');
  expect(formatDuration(90_000)).toBe('1 min');
});

test('a measured interval is rounded', () => {
  expect(formatAboutSeconds(0.997)).toBe('1 s');
  expect(formatAboutSeconds(0.0512)).toBe('0.051 s');
  expect(formatAboutSeconds(1.52)).toBe('1.5 s');
  expect(formatAboutSeconds(59.8)).toBe('1 min');
  expect(formatAboutSeconds(3_725)).toBe('1 h 2 min');
  expect(formatAboutSeconds(90_100)).toBe('1 d 1 h');
});

test('numbers keep their significant digits', () => {
  expect(formatRate(0)).toBe('0');
  expect(formatRate(0.0333)).toBe('0.033');
  expect(formatRate(3_457.4)).toBe('3,457');
  expect(formatCompact(1_234_567)).toBe('1.2M');
  expect(formatBytes(0)).toBe('0 bytes');
  expect(formatBytes(2_150_000)).toBe('2.15 MB');
  expect(formatExactly(21.456789012)).toBe('21.456789012');
  expect(formatExactly(1_795_767_966_123)).toBe('1,795,767,966,123');
  expect(formatExactly(0.1 + 0.2)).toBe('0.3');
  expect(formatExactly(0.00000123)).toBe('0.00000123');
  expect(formatExactly(1.5e300)).toBe('1.5E300');
  expect(plural(1, 'device')).toBe('1 device');
  expect(plural(1_200, 'device')).toBe('1,200 devices');
});
