import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useClock } from '../../ui/browser/clock.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { themeChoice, themes, type Theme } from '../../ui/browser/theme.ts';
import { RadioCards } from '../../ui/controls/radio-cards.tsx';
import { formatClock, formatDay, timeZoneChoice } from '../../ui/format/format-time.ts';
import { localTimeZone } from '../../ui/format/local-time-zone.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';

const minuteText = (nowMs: number, zone: 'local' | 'utc'): string =>
  `${formatDay(nowMs, zone)}, ${formatClock(nowMs, zone).slice(0, 5)}`;

const themeIcons: Record<Theme, ReactNode> = {
  system: <Monitor aria-hidden />,
  light: <Sun aria-hidden />,
  dark: <Moon aria-hidden />,
};

/** How the dashboard looks in this browser. */
export const AppearancePage = () => {
  const theme = useStoredChoice(themeChoice);
  const zone = useStoredChoice(timeZoneChoice);
  const localTime = useClock((nowMs) => minuteText(nowMs, 'local'));
  const utcTime = useClock((nowMs) => minuteText(nowMs, 'utc'));
  return (
    <>
      <PageHeader title="Appearance">Applies to this browser only.</PageHeader>
      <div className="flex max-w-160 flex-col gap-6">
        <RadioCards
          label="Theme"
          columns={3}
          value={theme}
          onChange={themeChoice.set}
          cards={themes.map((choice) => ({ ...choice, icon: themeIcons[choice.value] }))}
        />
        <RadioCards
          label="Time zone"
          value={zone}
          onChange={timeZoneChoice.set}
          cards={[
            {
              value: 'local',
              label: `Local (${localTimeZone()})`,
              detail: <span className="tabular">{localTime}</span>,
            },
            { value: 'utc', label: 'UTC', detail: <span className="tabular">{utcTime}</span> },
          ]}
        />
      </div>
    </>
  );
};
