import { useQuery } from '@tanstack/react-query';
import type { Scope } from '#contract/scope.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { ConnectKey } from '../../resources/connect/connect-key.tsx';
import type { ConnectTool } from '../../resources/connect/tools/connect-tool.ts';
import { ToolPipelines, useReceivers } from '../../resources/connect/tool-pipelines.tsx';
import { ToolSettings } from '../../resources/connect/tool-settings.tsx';
import { connectKeyName, useConnectKey } from '../../resources/connect/use-connect-key.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { EXAMPLE_DEVICE } from '../../resources/pipelines/example-message.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { FirstData } from './first-data.tsx';

const purposeOf = ({ label, subscribes }: ConnectTool): string =>
  subscribes === true
    ? `${label} authenticates with an API key. It can send telemetry for any device and subscribe to MQTT topics.`
    : `${label} authenticates with an API key. It can only send telemetry, for any device.`;

/** The steps to connect one tool. */
export const ToolSetup = ({ tool }: { tool: ConnectTool }) => {
  const name = connectKeyName(tool.label);
  const state = useConnectKey(name);
  const needed = tool.pipelines ?? [];
  const receivers = useReceivers(needed);
  const who = useQuery(sessionQueries.who());
  const connection = useQuery(serviceQueries.connection());
  // The steps are shown together, since each would move those below it when it loads; and then stay, also while a request that
  // failed is sent again.
  const areLoaded = useOnceTrue(
    !who.isLoading && !connection.isLoading && !receivers.list.isLoading && !state.isLoading,
  );
  const scopes: Scope[] = [
    'telemetry:write',
    ...(tool.subscribes === true ? (['telemetry:read'] as const) : []),
  ];
  const steps = ['API key', ...(needed.length > 0 ? ['Pipeline'] : []), 'Settings'];
  const title = (step: string): string => `${steps.indexOf(step) + 1}. ${step}`;

  return (
    <>
      <PageHeader
        title={`Connect ${tool.label}`}
        back={{ to: paths.connect, label: 'All devices and tools' }}
      >
        {tool.summary}
      </PageHeader>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {areLoaded ? (
          <div className="flex min-w-0 flex-col gap-4">
            <Panel title={title('API key')}>
              <ConnectKey newKey={{ name, scopes }} purpose={purposeOf(tool)} state={state} />
            </Panel>
            {needed.length > 0 && (
              <Panel title={title('Pipeline')}>
                <ToolPipelines needed={needed} receivers={receivers} />
              </Panel>
            )}
            <Panel title={title('Settings')}>
              <ToolSettings
                tool={tool}
                target={{
                  device: tool.exampleDevice ?? EXAMPLE_DEVICE,
                  isOneDevice: false,
                  key: state.minted?.secret ?? null,
                  pipelineId: receivers.found[0]?.id,
                  timeZone: receivers.timeZone,
                }}
                onCopied={state.onCopied}
              />
            </Panel>
          </div>
        ) : (
          <Skeleton className="h-150" />
        )}
        <FirstData state={state} />
      </div>
    </>
  );
};
