/** What the parent of this process sends. */
export type DashboardsOrder = { url: string; token: string; count: number; devices: string[] } | 'report';
/** Of one dashboard. Times are in epoch ms. */
export type DashboardReport = {
  /** How often it opened a stream. */
  opened: number;
  /** From one frame of samples to the next, if that took more than a few seconds. */
  gaps: { fromMs: number; toMs: number }[];
  eventIds: string[];
  resets: number;
};

/** Shorter times between two frames of samples are usual on a busy machine. */
const GAP_MS = 3_000;

const nowMs = (): number => performance.timeOrigin + performance.now();

// The modules of the dashboard read these when they are loaded.
Object.assign(globalThis, {
  window: new EventTarget(),
  document: { querySelector: () => null },
});
const { createConnection } = await import('#dashboard/api/live/live-connection.ts');
const { session } = await import('#dashboard/api/session.ts');

/** Follows devices and events with the connection of a page of the dashboard. */
const openDashboard = (devices: string[], onFirstFrame: () => void) => {
  const report: DashboardReport = { opened: 0, gaps: [], eventIds: [], resets: 0 };
  let lastFrameMs = nowMs();
  let isFirst = true;
  let lastId: string | undefined;
  const endGap = () => {
    const toMs = nowMs();
    if (toMs - lastFrameMs > GAP_MS) report.gaps.push({ fromMs: lastFrameMs, toMs });
    lastFrameMs = toMs;
  };
  const connection = createConnection({
    subscriptions: () => ({ device: devices, seen: [], metric: [] }),
    lastEventId: () => lastId,
    onEventId: (id) => {
      lastId = id;
    },
    onOpen: () => (report.opened += 1),
    onFrame: (name, _, id) => {
      if (name === 'telemetry') {
        endGap();
        if (isFirst) onFirstFrame();
        isFirst = false;
      } else if (name === 'reset') report.resets += 1;
      else if (name === 'event' && id !== undefined) report.eventIds.push(id);
    },
    onBytes: () => undefined,
    onState: () => undefined,
  });
  connection.open();
  return () => {
    endGap();
    return report;
  };
};

let dashboards: (() => DashboardReport)[] = [];
process.on('message', (order: DashboardsOrder) => {
  if (order === 'report') {
    process.send?.(
      dashboards.map((read) => read()),
      () => process.exit(0),
    );
    return;
  }
  const { url, token, count, devices } = order;
  session.start({ token, baseUrl: url, expiresAt: new Date(nowMs() + 86_400_000).toISOString() });
  let waiting = count;
  const onFirstFrame = () => {
    waiting -= 1;
    if (waiting === 0) process.send?.('live');
  };
  dashboards = Array.from({ length: count }, () => openDashboard(devices, onFirstFrame));
});
process.on('disconnect', () => process.exit(0));
