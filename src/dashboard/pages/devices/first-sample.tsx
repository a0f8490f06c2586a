import type { Device } from '#contract/devices.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** A device that has sent nothing: the one next step, ready to paste. */
export const FirstSample = ({ device }: { device: Device | undefined }) => (
  <EmptyState title="It has sent nothing yet">
    <p>Send a first value; this page shows it as soon as it is stored.</p>
    {device !== undefined && (
      <div className="mt-3 max-w-160">
        <CodeBlock
          label="Send a first value with curl"
          code={curlLine(window.location.origin, device.externalId)}
        />
        <p className="mt-2 text-sm">
          <code className="font-mono">PENSTOCK_KEY</code> is an API key that holds the scope telemetry:write.
        </p>
      </div>
    )}
  </EmptyState>
);

const curlLine = (origin: string, externalId: string) =>
  `curl -X POST ${origin}/v1/telemetry \\
  -H "Authorization: Bearer $PENSTOCK_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"samples":[{"device":"${externalId}","values":{"temperature":21.4}}]}'`;
