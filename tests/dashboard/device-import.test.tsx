import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  columnsLeftOut,
  decodeCsv,
  devicesCsv,
  guessTargets,
  itemOf,
  readCsv,
  tagTarget,
} from '#dashboard/pages/devices/device-csv.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

const devices = async () => (await service.request('GET', '/v1/devices?limit=200')).body.data;
const csvFile = (text: string) => new File([text], 'devices.csv', { type: 'text/csv' });
const countOf = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

const openImport = async (text: string) => {
  const page = openPage(service, '/devices?import=csv');
  const input = await screen.findByLabelText('CSV file');
  await page.user.upload(input, csvFile(text));
  return page.user;
};

test('columns are recognised by their names, and others can become tags', () => {
  const header = ['Device ID', 'Name', 'tag:site', 'Room', 'id', 'Interval (s)'];
  expect(guessTargets(header)).toEqual(['externalId', 'name', 'tag:site', null, null, 'expectedInterval']);
  expect(tagTarget('Room no.')).toBe('tag:Room-no.');
});

test('empty cells are left out, and quotes, semicolons and a byte order mark are read', () => {
  const { header, rows } = readCsv(
    '\uFEFFid;name;tag:site;interval\r\n"a;1";"Pump ""x""";;60\r\n\r\nb;;north;often\r\n',
  );
  const targets = guessTargets(header);
  expect(rows.map((row) => itemOf(row, targets))).toEqual([
    { externalId: 'a;1', name: 'Pump "x"', expectedInterval: 60 },
    { externalId: 'b', tags: { site: 'north' }, expectedInterval: 'often' },
  ]);
});

test('an unclosed quotation mark is rejected with its line', () => {
  expect(() => readCsv('id,name\na,"Pump\nx"\nb,"3 inch\nc,d\n')).toThrow(/\("\) in line 4 is not closed/);
  expect(() => readCsv('id,name\na,"Pump" 3\n')).toThrow(/closing quotation mark \("\) in line 2/);
});

test('a file that is not UTF-8 is rejected with its line when it is chosen, and another one can be chosen', async () => {
  const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const choose = async (content: BlobPart, name: string) => {
    const input = await screen.findByLabelText('CSV file');
    await user.upload(input, new File([content], name, { type: 'text/csv' }));
  };
  const { user } = openPage(service, '/devices?import=csv');
  await choose(latin1('id,name\nsouth-1,Süd\n'), 'excel.csv');
  await screen.findByText(
    'Line 2 is not UTF-8. Save the file as UTF-8 (in Excel as “CSV UTF-8”), then choose it again. Nothing was imported.',
  );
  await choose('id,name\nsouth-1,Gerät Süd\n', 'excel.csv');
  await screen.findByText('Gerät Süd');
  screen.getByText('excel.csv');
  screen.getByRole('button', { name: 'Choose another file' });
  await choose('id,name\nsouth-2,Gerät West\n', 'west.csv');
  await screen.findByText('Gerät West');
  expect(screen.queryByText('Gerät Süd')).toBeNull();
  await choose(Uint8Array.of(0xff, 0xfe, 0x69, 0, 0x64, 0, 0x0a, 0), 'unicode.csv');
  await screen.findByText(/^Line 1 is not UTF-8/u);
  expect(screen.queryByRole('button', { name: 'Check' })).toBeNull();
});

test('a byte order mark and replacement characters in UTF-8 are read, and invalid bytes are not', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const text of ['\uFEFFid\na\uFFFD', 'id\n😀ü']) expect(decodeCsv(bytes(text))).toBe(text);
  const invalid = (...after: number[]) => Uint8Array.of(...bytes('\uFEFFid\r\n\uFFFD\rü'), ...after);
  for (const after of [[0xfc], [0xc3], [0xef], [0xef, 0xbf], [0xf0, 0x9f, 0x98], [0x80, 0x0a], [0x61, 0x00]])
    expect(() => decodeCsv(invalid(...after))).toThrow(/^Line 3 is not UTF-8/u);
});

test('each row has the line in which it begins, after blank lines and cells of several lines', () => {
  const text = 'id,notes\n\na,"one\ntwo"\n,\nb,\n"c","x\n\ny"\nd,\n';
  const { rows, lines } = readCsv(text);
  expect(rows.map(([id], row) => [id, lines[row]])).toEqual([
    ['a', 3],
    ['b', 6],
    ['c', 7],
    ['d', 10],
  ]);
  expect(readCsv(text.replaceAll('\n', '\r\n')).lines).toEqual(lines);
});

test('an export can be imported again, and no cell is a formula', async () => {
  const { body } = await service.request('POST', '/v1/devices', {
    body: {
      name: '=cmd()',
      externalId: 'formula',
      notes: '-Line "1"\nLine 2',
      tags: { site: '-1+2' },
      expectedInterval: 5,
    },
  });
  const csv = devicesCsv([body]);
  expect(csv).toContain("'=cmd()");
  expect(csv).not.toMatch(/(^|,)[=+-]/mu);
  const { header, rows } = readCsv(csv);
  expect(itemOf(rows[0]!, guessTargets(header))).toEqual({
    externalId: 'formula',
    name: '=cmd()',
    notes: '-Line "1"\nLine 2',
    tags: { site: '-1+2' },
    expectedInterval: 5,
  });
});

test('an export that is imported again shows the values to store, and its devices are unchanged', async () => {
  const register = (externalId: string, offset: string) =>
    service.request('POST', '/v1/devices', { body: { name: externalId, externalId, tags: { offset } } });
  const exported = [(await register('kept-1', '-6.25')).body, (await register('kept-2', '3')).body];
  await register('kept-3', '1');
  const csv = `${devicesCsv(exported).replace(/\r\n$/u, '')}\r\nkept-3${','.repeat(8)}2`;
  const user = await openImport(csv);
  const drawer = within(await screen.findByRole('dialog'));
  await drawer.findByText('-6.25');
  expect(drawer.queryByText("'-6.25")).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  await screen.findByText('To register');
  const counts = () => ['Unchanged', 'Rejected'].map(countOf);
  expect([countOf('To register'), countOf('To update'), ...counts()]).toEqual(['0', '1', '2', '0']);
  await user.click(screen.getByRole('button', { name: 'Import 1 device' }));
  await screen.findByText('Registered');
  expect([countOf('Registered'), countOf('Updated'), ...counts()]).toEqual(['0', '1', '2', '0']);
  const { body } = await service.request('GET', '/v1/devices?q=kept-&sort=name&limit=10');
  expect(body.data.map((device: { tags: object }) => device.tags)).toEqual([
    { offset: '-6.25' },
    { offset: '3' },
    { offset: '2' },
  ]);
});

test('a file is checked first, then imported, and rejected rows are listed with their line', async () => {
  const rows = Array.from({ length: 620 }, (_, n) => `meter-${n},Meter ${n},north`);
  rows[9] = 'bad id!,Broken,north';
  rows[19] = 'meter-0,Twice,north';
  const user = await openImport(['id,name,tag:site', ...rows, 'formula,Known,south'].join('\n'));
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  await screen.findByText('To register');
  expect([countOf('To register'), countOf('To update'), countOf('Rejected')]).toEqual(['618', '1', '2']);
  expect(screen.getByText('Line 11').nextElementSibling?.textContent).toMatch(/^External ID: /u);
  expect(screen.getByText('Line 21').nextElementSibling?.textContent).toBe(
    'Line 2 has the same external ID. Remove one of the lines.',
  );
  expect((await devices()).length).toBeLessThan(10);

  await user.click(screen.getByRole('button', { name: 'Import 619 devices' }));
  await screen.findByText('Registered');
  expect([countOf('Registered'), countOf('Updated'), countOf('Rejected')]).toEqual(['618', '1', '2']);
  const { body } = await service.request('GET', '/v1/devices?tag=site:north&limit=1&total=true');
  expect(body.total).toBe(618);
});

test('of several rows with one external ID, the first valid one is imported, and invalid ones keep their problem', async () => {
  const long = 'x'.repeat(129);
  const rows = [
    'dup-a,abc',
    'dup-a,60',
    'dup-a,30',
    `${long},60`,
    `${long},60`,
    'dup-b,60',
    'dup-b,abc',
    ',60',
    ',60',
  ];
  const user = await openImport(['externalId,expectedInterval', ...rows].join('\n'));
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  await screen.findByText('To register');
  expect(countOf('To register')).toBe('2');
  const problemOf = (line: number) => screen.queryByText(`Line ${line}`)?.nextElementSibling?.textContent;
  expect(problemOf(2)).toMatch(/^Expected interval \(s\): /u);
  expect(problemOf(3)).toBeUndefined();
  expect(problemOf(4)).toBe('Line 3 has the same external ID. Remove one of the lines.');
  for (const line of [5, 6]) expect(problemOf(line)).toBe('External ID: Must be at most 128 characters.');
  expect(problemOf(7)).toBeUndefined();
  expect(problemOf(8)).toMatch(/^Expected interval \(s\): /u);
  for (const line of [9, 10]) expect(problemOf(line)).toMatch(/^External ID: /u);
  await user.click(screen.getByRole('button', { name: 'Import 2 devices' }));
  await screen.findByText('Registered');
  expect([countOf('Registered'), countOf('Rejected')]).toEqual(['2', '7']);
  const { body } = await service.request('GET', '/v1/devices?q=dup-&sort=name&limit=10');
  expect(
    body.data.map((device: Record<string, unknown>) => [device['externalId'], device['expectedInterval']]),
  ).toEqual([
    ['dup-a', 60],
    ['dup-b', 60],
  ]);
});

test('a second click or Enter on Check and on Import has no effect', async () => {
  const user = await openImport('id\ntwice-1\ntwice-2');
  const drawer = within(await screen.findByRole('dialog'));
  // At the right end of the drawer, where the pointer is.
  const lastButton = () => drawer.getAllByRole('button').at(-1)!;
  const findRegistered = async () =>
    (await service.request('GET', '/v1/devices?q=twice-&limit=10')).body.data.length;
  await waitFor(() => expect(lastButton().textContent).toBe('Check'));
  await user.click(lastButton());
  await user.click(lastButton());
  await screen.findByText('To register');
  expect(countOf('To register')).toBe('2');
  expect(await findRegistered()).toBe(0);
  await waitFor(() => expect(lastButton().textContent).toBe('Import 2 devices'));
  expect(document.activeElement).toBe(lastButton());
  await user.keyboard('{Enter}{Enter}');
  await screen.findByText('Registered');
  expect(countOf('Registered')).toBe('2');
  expect(await findRegistered()).toBe(2);
  expect(document.activeElement?.textContent).toBe('Close');
});

test('rejected rows are downloaded with their line, the problem and all of their cells', async () => {
  const saved: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return 'blob:saved';
  });
  const user = await openImport('id,name,type\nno good,Pump\nfine-1,Pump,\nsplit-1,Pump, large,x');
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  const [header, short, long] = (await saved[0]!.text()).split('\r\n');
  expect(header).toBe('line,problem,id,name,type');
  expect(short).toMatch(/^2,.*letters, digits.*,no good,Pump$/u);
  expect(long).toMatch(/^4,"This row has 4 cells, .*,split-1,Pump," large",x$/u);
});

test('a row with more cells than the header is rejected, and one with fewer is imported', async () => {
  const text = 'id;name;tag:site\nsplit-2;Pump; large;north\nsplit-2;"Pump; large"\nsplit-3;Pump; large;';
  const user = await openImport(text);
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  await screen.findByText('To register');
  const problem =
    'This row has 4 cells, but the header has 3. Put values that contain a semicolon in quotation marks.';
  for (const line of [2, 4])
    expect(screen.getByText(`Line ${line}`).nextElementSibling?.textContent).toBe(problem);
  expect([countOf('To register'), countOf('Rejected')]).toEqual(['1', '2']);
  await user.click(screen.getByRole('button', { name: 'Import 1 device' }));
  await screen.findByText('Registered');
  const { body } = await service.request('GET', '/v1/devices?q=split-&limit=10');
  expect(body.data.map(({ externalId, name }: Record<string, unknown>) => [externalId, name])).toEqual([
    ['split-2', 'Pump; large'],
  ]);
});

test('columns that are not imported are named before the check, and become tags with one click', async () => {
  const user = await openImport('id,Room,colour,tag:site,\nnamed-1,12,red,north,');
  const notice = await screen.findByText('Not imported: Room and colour.');
  expect(notice.closest('[role=status]'), 'is announced without an interruption').not.toBeNull();
  await user.click(screen.getByRole('combobox', { name: 'Import Column 5 as' }));
  await screen.findByRole('option', { name: 'Notes' });
  expect(screen.queryByRole('option', { name: /^Tag/ }), 'a tag needs a name').toBeNull();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Import as tags' }));
  await waitFor(() => expect(screen.queryByText(/^Not imported/)).toBeNull());
  await waitFor(() => expect(document.activeElement, 'stays in the drawer').not.toBe(document.body));
  await user.click(screen.getByRole('button', { name: 'Check' }));
  await user.click(await screen.findByRole('button', { name: 'Import 1 device' }));
  await screen.findByText('Registered');
  const { body } = await service.request('GET', '/v1/devices?q=named-1&limit=1');
  expect(body.data[0].tags).toEqual({ Room: '12', colour: 'red', site: 'north' });
});

test('the line and the problem of rejected rows are not columns that an import leaves out', () => {
  const left = (text: string) => {
    const table = readCsv(text);
    return columnsLeftOut(table, guessTargets(table.header)).map((column) => table.header[column]);
  };
  expect(left('line,problem,id,room\n2,Wrong,a,1')).toEqual(['room']);
  expect(left('id,line,room\na,2,1')).toEqual(['line', 'room']);
});

test('the state in an export of devices is not a column that an import leaves out', async () => {
  const { body } = await service.request('GET', '/v1/devices?limit=1');
  const table = readCsv(devicesCsv(body.data));
  expect(columnsLeftOut(table, guessTargets(table.header))).toEqual([]);
  const other = readCsv('id,state\na,Ohio');
  expect(columnsLeftOut(other, guessTargets(other.header))).toEqual([1]);
});

test('without a column for the external ID the file is not checked', async () => {
  const user = await openImport('room,colour\n1,red');
  const check = await screen.findByRole('button', { name: 'Check' });
  expect(check.hasAttribute('disabled')).toBe(true);
  expect(screen.getByText('Choose the column with the external ID.')).toBeDefined();
  await user.click(screen.getByRole('combobox', { name: 'Import room as' }));
  await user.click(await screen.findByRole('option', { name: 'External ID' }));
  expect(screen.getByRole('button', { name: 'Check' }).hasAttribute('disabled')).toBe(false);
});

test('a file without rows is rejected with what it needs', async () => {
  await openImport('id,name\n');
  await screen.findByText(/needs a line with column names and at least one line below it/u);
});

test('an import that loses the connection shows its progress and continues', async () => {
  const user = await openImport('id\nlost-1\nlost-2');
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  const start = await screen.findByRole('button', { name: 'Import 2 devices' });
  const { fetch } = globalThis;
  const failing = vi.spyOn(globalThis, 'fetch').mockImplementation((...args) => {
    const url = String(args[0] instanceof Request ? args[0].url : args[0]);
    return url.endsWith('/batch') ? Promise.reject(new TypeError('Failed to fetch')) : fetch(...args);
  });
  await user.click(start);
  await screen.findByText(/The import stopped after 0 of 2 rows/u);
  failing.mockRestore();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Registered');
  expect(countOf('Registered')).toBe('2');
});

test('a request without a response ends, and the import continues', async () => {
  const user = await openImport('id\nstalled-1');
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  const start = await screen.findByRole('button', { name: 'Import 1 device' });
  const [{ fetch }, timeout] = [globalThis, new AbortController()];
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
  const stalled = vi.spyOn(globalThis, 'fetch').mockImplementation((...args) => {
    const url = String(args[0] instanceof Request ? args[0].url : args[0]);
    if (!url.endsWith('/batch')) return fetch(...args);
    return new Promise((_, reject) =>
      args[1]?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
    );
  });
  await user.click(start);
  await screen.findByRole('button', { name: 'Stop the import' });
  timeout.abort(new DOMException('', 'TimeoutError'));
  await screen.findByText(/The import stopped after 0 of 1 row.*The service did not respond/u);
  stalled.mockRestore();
  limit.mockRestore();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Registered');
});

test('an import that Back leaves is stopping, and its report is there when the drawer opens again', async () => {
  const { user } = openPage(service, '/devices');
  const open = async () => {
    await user.click(await screen.findByRole('button', { name: 'Import and export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Import CSV…' }));
  };
  await open();
  await user.upload(await screen.findByLabelText('CSV file'), csvFile('id\nleft-1'));
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  const start = await screen.findByRole('button', { name: 'Import 1 device' });
  const [{ fetch }, held] = [globalThis, Promise.withResolvers<void>()];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
    const url = String(args[0] instanceof Request ? args[0].url : args[0]);
    if (url.endsWith('/batch')) await held.promise;
    return fetch(...args);
  });
  await user.click(start);
  await screen.findByRole('button', { name: 'Stop the import' });
  window.history.back();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await open();
  await screen.findByRole('button', { name: 'Stopping…' });
  held.resolve();
  await screen.findByText('Registered');
  expect(countOf('Registered')).toBe('1');
});

test('a token that cannot register devices is offered the export only', async () => {
  const { body: key } = await service.request('POST', '/v1/api-keys', {
    body: { name: 'Reader', scopes: ['devices:read'] },
  });
  const { user } = openPage(service, '/devices', key.secret);
  await screen.findByText('Meter 1');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Register device' })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Import and export' }));
  const menu = within(await screen.findByRole('menu'));
  expect(menu.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Export devices as CSV',
  ]);
});
