import { devicesApi, type Device } from '#contract/devices.ts';
import { call } from '../../api/client.ts';
import { describeError } from '../../api/api-error.ts';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { saveFile } from '../../ui/browser/save-file.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import { devicesCsv } from './device-csv.ts';

const PAGE_SIZE = 200;

/** All devices that match the filters, in the order of the list. */
const readAll = async (filters: DeviceFilters): Promise<Device[]> => {
  const devices: Device[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { ...filters, limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) };
    const page: { data: Device[]; nextCursor: string | null } = await call(devicesApi.list, { query });
    devices.push(...page.data);
    cursor = page.nextCursor;
  }
  return devices;
};

/** Saves the devices that match the filters as a CSV file, which the import reads. */
export const exportDevices = async (filters: DeviceFilters): Promise<void> => {
  try {
    const devices = await readAll(filters);
    saveFile('devices.csv', new Blob([devicesCsv(devices)], { type: 'text/csv' }));
    showToast({ title: `Saved ${plural(devices.length, 'device')}`, detail: 'devices.csv' });
  } catch (error) {
    showToast({ title: 'The devices were not exported', detail: describeError(error).detail, tone: 'bad' });
  }
};
