import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { MEAN, rankRuleText, type ChosenDisplay } from './device-display.ts';
import { formatList } from '../../ui/format/format-list.ts';

type Ranked = NonNullable<TelemetryAnswer['top']>[number];

type Props = {
  ranked: readonly Ranked[];
  display: Extract<ChosenDisplay, { is: 'top' }>;
  labelOf: (metric: string) => string;
  /** Names of devices by ID. */
  names: ReadonlyMap<string, string>;
  onDisplay: (display: ChosenDisplay) => void;
};

/** `Top 20 of 412 by maximum; 392 not shown` */
const rankingText = (
  { total, omitted, omittedDevices }: Ranked,
  { by }: Props['display'],
  names: Props['names'],
) => {
  const listed = omittedDevices.map(({ device, externalId }) => names.get(device) ?? externalId);
  const omittedText = listed.length > 0 ? formatList(listed) : formatCount(omitted);
  return `Top ${formatCount(total - omitted)} of ${formatCount(total)} by ${rankRuleText(by)}; ${omittedText} not shown`;
};

/** What a ranking leaves out, with one click to a line for all devices. Nothing if all devices are shown. */
export const RankingNotice = ({ ranked, display, labelOf, names, onDisplay }: Props) => {
  // Metrics without numbers have no ranking; the page says so elsewhere.
  const cut = ranked.filter(({ omitted, total }) => omitted > 0 && omitted < total);
  if (cut.length === 0) return null;
  const texts = cut.map((each) =>
    ranked.length === 1
      ? rankingText(each, display, names)
      : `${labelOf(each.metric)}: ${rankingText(each, display, names)}`,
  );
  return (
    <FormNotice
      tone="idle"
      action={
        <>
          <Button onClick={() => onDisplay(MEAN)}>Show mean of all</Button>
          <Button onClick={() => onDisplay({ is: 'across', across: 'sum' })}>Show sum of all</Button>
        </>
      }
    >
      {texts.join('. ')}.
    </FormNotice>
  );
};
