import { Cable } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import type { Device } from '#contract/devices.ts';
import { Button } from '../../ui/controls/button.tsx';
import { withParams } from '../../ui/browser/with-params.ts';

const ConnectPanel = lazy(async () => ({ default: (await import('./connect-panel.tsx')).ConnectPanel }));

const BUTTON_ID = 'connect';

/** The tool that the panel opens with. */
const FIRST_TOOL = 'curl';

const useConnectParam = () => {
  const [params, setParams] = useQueryParams();
  const chosen = params.get('connect');
  return {
    isAsked: chosen !== null,
    toolId: chosen ?? FIRST_TOOL,
    show: (toolId: string, replace: boolean) =>
      setParams((old) => withParams(old, { connect: toolId }), { replace, preventScrollReset: true }),
  };
};

/** Opens the panel that explains how to connect the device. */
export const ConnectButton = () => {
  const { isAsked, show } = useConnectParam();
  return (
    <Button
      id={BUTTON_ID}
      icon={<Cable aria-hidden className="size-4" />}
      aria-expanded={isAsked}
      onClick={() => show(isAsked ? '' : FIRST_TOOL, false)}
    >
      Connect
    </Button>
  );
};

/** Explains how to connect a device. Opens automatically for a device that was never seen, and stays open. */
export const ConnectDevice = ({ device }: { device: Device }) => {
  const { isAsked, toolId, show } = useConnectParam();
  const openForNew = useEffectEvent(() => {
    if (device.lastSeenAt === null && !isAsked) show(toolId, true);
  });
  useEffect(() => openForNew(), []);
  if (!isAsked) return null;
  return (
    <Suspense fallback={<div className="mb-4 h-72 rounded-md border border-hairline bg-surface" />}>
      <ConnectPanel
        device={device}
        toolId={toolId}
        onTool={(name) => show(name, true)}
        onClose={() => {
          show('', false);
          document.getElementById(BUTTON_ID)?.focus();
        }}
      />
    </Suspense>
  );
};
