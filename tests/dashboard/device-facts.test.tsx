import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, test } from 'vitest';
import type { Device } from '#contract/devices.ts';
import { DeviceFacts } from '#dashboard/pages/device/device-facts.tsx';

const now = new Date().toISOString();
const device: Device = {
  id: 'dev_01m83jc43qe4frcwmst9bsdgxq',
  externalId: 'boiler-7',
  name: 'Boiler 7',
  type: '',
  description: '',
  notes: '',
  tags: {},
  expectedInterval: null,
  learnedInterval: null,
  state: 'online',
  lastSeenAt: now,
  createdAt: now,
  updatedAt: now,
};

test.each([
  [{ expectedInterval: null, learnedInterval: null }, '5 min'],
  [{ expectedInterval: null, learnedInterval: 2.5 }, '5 min'],
  [{ expectedInterval: null, learnedInterval: 200 }, '10 min'],
  [{ expectedInterval: 10, learnedInterval: 200 }, '1 min'],
  [{ expectedInterval: 60, learnedInterval: 2.5 }, '3 min'],
])('with %o, the device is late after %s', (interval, text) => {
  render(<DeviceFacts device={{ ...device, ...interval }} />);
  expect(screen.getByText('Late after').nextElementSibling?.textContent).toBe(text);
});

test.each([
  [100, '20 s, configuredMessages arrive about every 1 min 40 s'],
  [25, '20 s, configured'],
  [null, '20 s, configured'],
])('with %s s between messages and 20 s configured, the interval is “%s”', (learnedInterval, text) => {
  render(<DeviceFacts device={{ ...device, expectedInterval: 20, learnedInterval }} />);
  expect(screen.getByText('Interval').nextElementSibling?.textContent).toBe(text);
});

test('a tag leads to the devices that have it', () => {
  render(<DeviceFacts device={{ ...device, tags: { site: 'Lyon: north', spare: '' } }} />, {
    wrapper: MemoryRouter,
  });
  const hrefs = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(hrefs).toEqual(['/devices?tag=site%3ALyon%3A+north', '/devices?tag=spare%3A']);
});
