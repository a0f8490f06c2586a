import { devicesApi } from '#contract/devices.ts';
import { call } from '../../api/client.ts';
import { describeError } from '../../api/api-error.ts';
import { readAll } from '../../api/paged-list.ts';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { saveFile } from '../../ui/browser/save-file.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import { devicesCsv } from './device-csv.ts';

/** Saves the devices that match the filters as a CSV file, which the import reads. */
export const exportDevices = async (filters: DeviceFilters): Promise<void> => {
  try {
    const devices = await readAll((page) => call(devicesApi.list, { query: { ...filters, ...page } }));
    saveFile('devices.csv', new Blob([devicesCsv(devices)], { type: 'text/csv' }));
    showToast({ title: `Saved ${plural(devices.length, 'device')}`, detail: 'devices.csv' });
  } catch (error) {
    showToast({ title: 'The devices were not exported', detail: describeError(error).detail, tone: 'bad' });
  }
};
