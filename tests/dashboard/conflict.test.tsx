import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '#contract/scope.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openStep } from './open-step.ts';
import { openPage, type OpenPage } from './open-page.tsx';

let service: TestService;
/** Another operator, who changes what is edited here. */
let grace: string;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  const { secret } = await service.mintKey([...scopes]);
  const { body } = await service.request('POST', '/v1/sessions', { token: null, body: { token: secret } });
  grace = body.token;
  await service.request('PATCH', '/v1/session', { token: grace, body: { label: 'Grace' } });
});
afterAll(() => service.close());

const asGrace = async (method: string, path: string, body?: unknown) => {
  const answer = await service.request(method, path, { token: grace, body });
  expect(answer.status).toBeLessThan(300);
};
const read = async (path: string) => (await service.request('GET', path)).body;

const retype = async (user: OpenPage['user'], name: string | RegExp, text: string) => {
  const input = await screen.findByRole('textbox', { name });
  await user.clear(input);
  await fill(user, input, text);
};
const field = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name });
const notice = () => screen.findByRole('region', { name: 'Updated elsewhere' });
const versionsOf = (label: string) => {
  const group = within(screen.getByRole('region', { name: 'Updated elsewhere' })).getByRole('group', {
    name: label,
  });
  const [mine, theirs] = within(group).getAllByRole<HTMLInputElement>('radio');
  return { group, mine: mine!, theirs: theirs! };
};
const save = (user: OpenPage['user']) => user.click(screen.getByRole('button', { name: 'Save' }));
const isSaved = () => waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull());

describe('a device that another operator changes while it is edited', () => {
  const edit = async (body: Record<string, unknown>) => {
    const { id } = (await service.request('POST', '/v1/devices', { body })).body;
    const page = openPage(service, `/devices?edit=${id}`);
    await screen.findByRole('textbox', { name: 'Name' });
    return { id, path: `/v1/devices/${id}`, ...page };
  };

  test('is reported immediately, with the actor and both versions of each field', async () => {
    const { user, path } = await edit({ name: 'Boiler 1', type: 'boiler', tags: { site: 'north' } });
    await retype(user, 'Name', 'Mine');
    await asGrace('PATCH', path, { name: 'Theirs', type: 'kettle', tags: { site: 'south', line: '4' } });
    const conflict = await notice();
    expect(within(conflict).getByRole('alert').textContent).toBe(
      'Grace updated this device while you edited it.',
    );
    const name = versionsOf('Name');
    expect(name.group.textContent).toContain('MineMine');
    expect(name.group.textContent).toContain('TheirsTheirs');
    expect([name.mine.checked, name.theirs.checked]).toEqual([false, false]);
    // Fields that were not edited here have their version, and mine can still be chosen.
    expect(versionsOf('Type').theirs.checked).toBe(true);
    expect(versionsOf('Tag site').theirs.checked).toBe(true);
    expect(versionsOf('Tag line').group.textContent).toContain('MineNothing');
    expect(field('Name').value).toBe('Mine');
    expect(field(/^Type/).value).toBe('kettle');
    expect(screen.getAllByDisplayValue('south')[0]).toBeTruthy();

    await user.click(versionsOf('Type').mine);
    expect(field(/^Type/).value).toBe('boiler');
    await user.click(versionsOf('Name').mine);
    await save(user);
    await isSaved();
    expect(await read(path)).toMatchObject({
      name: 'Mine',
      type: 'boiler',
      tags: { site: 'south', line: '4' },
    });
  });

  test('is not saved before a version is chosen for fields that both changed', async () => {
    const { user, path } = await edit({ name: 'Boiler 2' });
    await retype(user, 'Name', 'Mine');
    await asGrace('PATCH', path, { name: 'Theirs' });
    await save(user);
    const conflict = await notice();
    // The first Save discovers the change; the next one asks for a choice.
    await waitFor(() => expect(within(conflict).queryByText('Choose a version.')).toBeTruthy());
    expect(document.activeElement).toBe(versionsOf('Name').mine);
    expect((await read(path)).name).toBe('Theirs');
    expect(field('Name').value).toBe('Mine');
    await user.click(versionsOf('Name').theirs);
    expect(field('Name').value).toBe('Theirs');
    await user.click(versionsOf('Name').mine);
    expect(field('Name').value).toBe('Mine');
    await save(user);
    await isSaved();
    expect((await read(path)).name).toBe('Mine');
  });

  test('is resolved by typing a third version', async () => {
    const { user, path } = await edit({ name: 'Boiler 3' });
    await retype(user, 'Name', 'Mine');
    await asGrace('PATCH', path, { name: 'Theirs' });
    await notice();
    await retype(user, 'Name', 'Ours');
    await save(user);
    await isSaved();
    expect((await read(path)).name).toBe('Ours');
  });

  test('keeps the edits through a second and a third change', async () => {
    const { user, path } = await edit({ name: 'Boiler 4', description: 'Old' });
    await retype(user, 'Name', 'Mine');
    await retype(user, /^Description/, 'My words');
    await asGrace('PATCH', path, { name: 'Theirs' });
    await notice();
    await user.click(versionsOf('Name').theirs);
    await asGrace('PATCH', path, { name: 'Theirs again', description: 'Their words' });
    await waitFor(() => expect(versionsOf('Description').group).toBeTruthy());
    // Their version was chosen before: their newer name is shown, and mine is still offered.
    expect(field('Name').value).toBe('Theirs again');
    expect(versionsOf('Name').group.textContent).toContain('MineMine');
    expect(field(/^Description/).value).toBe('My words');
    await user.click(screen.getByRole('button', { name: 'Keep all mine' }));
    await asGrace('PATCH', path, { type: 'kettle' });
    await waitFor(() => expect(versionsOf('Type').theirs.checked).toBe(true));
    expect(versionsOf('Name').mine.checked).toBe(true);
    await save(user);
    await isSaved();
    expect(await read(path)).toMatchObject({ name: 'Mine', description: 'My words', type: 'kettle' });
  });

  test('is unchanged if all their versions are chosen', async () => {
    const { user, path } = await edit({ name: 'Boiler 5', tags: { site: 'north' } });
    await retype(user, 'Name', 'Mine');
    await user.click(screen.getByRole('button', { name: 'Remove site' }));
    await asGrace('PATCH', path, { name: 'Theirs', tags: { site: 'south' } });
    await notice();
    expect(versionsOf('Tag site').group.textContent).toContain('MineNothing');
    await user.click(screen.getByRole('button', { name: 'Use all theirs' }));
    expect(screen.getAllByDisplayValue('south')[0]).toBeTruthy();
    await save(user);
    await isSaved();
    expect(await read(path)).toMatchObject({ name: 'Theirs', tags: { site: 'south' } });
  });

  test('that was deleted is restored with the edits', async () => {
    const { user, path } = await edit({ name: 'Boiler 6' });
    await retype(user, 'Name', 'Mine');
    await asGrace('DELETE', path);
    const conflict = await screen.findByRole('region', { name: 'Deleted elsewhere' });
    expect(within(conflict).getByRole('alert').textContent).toBe(
      'Grace deleted this device while you edited it.',
    );
    expect(within(conflict).getByRole('button', { name: 'Copy my changes' })).toBeTruthy();
    await user.click(within(conflict).getByRole('button', { name: 'Restore device' }));
    await screen.findByRole('region', { name: 'Restored elsewhere' });
    expect(field('Name').value).toBe('Mine');
    await save(user);
    await isSaved();
    expect((await read(path)).name).toBe('Mine');
  });

  test('is reported by the save without an earlier event', async () => {
    const { secret } = await service.mintKey(['devices:read', 'devices:write']);
    const { body } = await service.request('POST', '/v1/sessions', { token: null, body: { token: secret } });
    await service.request('PATCH', '/v1/session', { body: { label: 'Writer' }, token: body.token });
    const { id } = (await service.request('POST', '/v1/devices', { body: { name: 'Boiler 7' } })).body;
    const { user } = openPage(service, `/devices?edit=${id}`, body.token);
    await retype(user, 'Name', 'Mine');
    await asGrace('PATCH', `/v1/devices/${id}`, { name: 'Theirs' });
    await save(user);
    // A session without events:read does not see the actor.
    expect(within(await notice()).getByRole('alert').textContent).toBe(
      'This device was updated elsewhere while you edited it.',
    );
  });
});

describe('a pipeline that another operator changes while it is edited', () => {
  const edit = async (name: string) => {
    const { id } = (
      await service.request('POST', '/v1/pipelines', {
        body: { name, type: 'host', interval: 10, destination: 'telemetry' },
      })
    ).body;
    const page = openPage(service, `/pipelines/${id}/edit`);
    await screen.findByRole('textbox', { name: 'Name' });
    return { path: `/v1/pipelines/${id}`, ...page };
  };

  test('shows both versions of its fields and of its configuration', async () => {
    const { user, path } = await edit('Hall 1');
    await retype(user, 'Interval', '20');
    await openStep(user, 'Format');
    await retype(user, /^Device/, 'mine');
    await openStep(user, 'Source');
    await asGrace('PATCH', path, { interval: 120, config: { device: 'theirs' } });
    await notice();
    expect(versionsOf('Interval').group.textContent).toContain('Mine20 sTheirs2 min');
    await user.click(versionsOf('Interval').theirs);
    expect(field('Interval').value).toBe('2');
    await user.click(versionsOf('Device').mine);
    await save(user);
    await screen.findByRole('heading', { level: 1, name: 'Hall 1' });
    expect(await read(path)).toMatchObject({ interval: 120, config: { device: 'mine' } });
  });

  test('that was deleted is created again from the edits', async () => {
    const { user, path } = await edit('Hall 2');
    await retype(user, 'Name', 'Hall two');
    await asGrace('DELETE', path);
    const conflict = await screen.findByRole('region', { name: 'Deleted elsewhere' });
    await user.click(within(conflict).getByRole('button', { name: 'Create again' }));
    await user.click(await screen.findByRole('button', { name: 'Create pipeline' }));
    await screen.findByRole('heading', { level: 1, name: 'Hall two' });
    expect((await read('/v1/pipelines?q=hall%20two')).data).toHaveLength(1);
  });
});
