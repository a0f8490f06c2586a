import type { ComponentProps } from 'react';
import { DevicePicker } from './device-picker.tsx';
import { MetricPicker } from './metric-picker.tsx';

type Props = {
  devices: ComponentProps<typeof DevicePicker>;
  metrics: ComponentProps<typeof MetricPicker>;
};

/** The pickers, in one chunk loaded after the charts. */
export const Pickers = ({ devices, metrics }: Props) => (
  <>
    <DevicePicker {...devices} />
    <MetricPicker {...metrics} />
  </>
);
