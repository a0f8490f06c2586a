import { Cable } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import type { Device } from '#contract/devices.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
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

type Props = {
  device: Device;
  /** True while the panel that opens with the page loads: until its height is known, the panels below would move. */
  onLoading: (isLoading: boolean) => void;
};

/** Explains how to connect a device. Opens automatically for a device that was never seen, and stays open. */
export const ConnectDevice = ({ device, onLoading }: Props) => {
  const { isAsked, toolId, show } = useConnectParam();
  const [opensWithPage] = useState(isAsked || device.lastSeenAt === null);
  const [isReady, setIsReady] = useState(false);
  // The panel may be closed before it has loaded.
  const wasClosed = useOnceTrue(isAsked) && !isAsked;
  const isLoading = opensWithPage && !isReady && !wasClosed;
  useLayoutEffect(() => {
    onLoading(isLoading);
    return () => onLoading(false);
  }, [isLoading, onLoading]);
  const openForNew = useEffectEvent(() => {
    if (!isAsked && device.lastSeenAt === null) show(toolId, true);
  });
  useEffect(() => openForNew(), []);
  if (!isAsked) return null;
  return (
    <Suspense fallback={<div className="mb-4 h-72 rounded-md border border-hairline bg-surface" />}>
      <ConnectPanel
        device={device}
        toolId={toolId}
        onTool={(name) => show(name, true)}
        onReady={() => setIsReady(true)}
        onClose={() => {
          show('', false);
          document.getElementById(BUTTON_ID)?.focus();
        }}
      />
    </Suspense>
  );
};
