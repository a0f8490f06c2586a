import { useQuery } from '@tanstack/react-query';
import type { Connection } from '#contract/service.ts';
import { Failure } from '../../kit/failure.tsx';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { linkClass } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { serviceQueries } from '../service/service-queries.ts';
import type { ConnectTool, ToolSetting } from './tools/connect-tool.ts';
import { fillTemplate, hostOf, KEY_PLACEHOLDER, type ConnectTarget } from './fill-template.ts';

type Props = { tool: ConnectTool; target: ConnectTarget; onCopied: () => void };

/** The exact settings of a tool for this server, to copy. `onCopied`: a text that contains the key was copied. */
export const ToolSettings = (props: Props) => {
  const { data: connection, error, refetch } = useQuery(serviceQueries.connection());
  if (connection !== undefined) return <FilledSettings {...props} connection={connection} />;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Skeleton className="h-40" />;
};

const FilledSettings = ({ tool, target, onCopied, connection }: Props & { connection: Connection }) => {
  if (tool.via === 'mqtt' && connection.mqtt === null)
    return (
      <p className="text-muted">
        The embedded MQTT broker is not listening: MQTT_PORT is 0, or the port is in use. Set another port, or
        send over HTTP.
      </p>
    );
  const fill = (template: string): string => fillTemplate(template, connection, target);
  return (
    <div className="flex flex-col gap-4">
      {isLoopback(hostOf(connection)) && (
        <p className="text-attention-text">
          {hostOf(connection)} is only reachable from the machine that runs Penstock. To connect other
          machines, set HOST and BASE_URL.
        </p>
      )}
      {tool.settings.map((setting) => (
        <Setting key={setting.label} setting={setting} fill={fill} secret={target.key} onCopied={onCopied} />
      ))}
      <ul className="flex flex-col gap-1 text-sm text-muted">
        {target.key === null && <li>Replace {KEY_PLACEHOLDER} with an API key.</li>}
        {target.pipelineId === undefined && tool.pipelines?.some(({ type }) => type === 'http') === true && (
          <li>Create the pipeline first: its address is part of the settings.</li>
        )}
        {tool.notes
          .map(fill)
          .filter((note) => note !== '')
          .map((note) => (
            <li key={note}>{note}</li>
          ))}
        <li>
          <a href={tool.docs} target="_blank" rel="noreferrer" className={linkClass}>
            Documentation of {tool.label}
          </a>
        </li>
      </ul>
    </div>
  );
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

type SettingProps = {
  setting: ToolSetting;
  fill: (template: string) => string;
  secret: string | null;
  onCopied: () => void;
};

const Setting = ({ setting, fill, secret, onCopied }: SettingProps) => {
  const copied = (text: string) => (secret !== null && text.includes(secret) ? { onCopied } : {});
  if (setting.kind === 'code') {
    const code = fill(setting.code);
    return (
      <div>
        <h3 className="mb-1.5 font-medium">{setting.label}</h3>
        <CodeBlock label={setting.label} code={code} {...copied(code)} />
      </div>
    );
  }
  return (
    <div>
      <h3 className="mb-1.5 font-medium">{setting.label}</h3>
      <dl className="divide-y divide-hairline rounded-md border border-hairline">
        {setting.fields.map(({ name, value: template }) => {
          const value = fill(template);
          return (
            <div key={name} className="flex flex-wrap items-center gap-x-3 pl-3">
              <dt className="basis-40 text-sm text-muted">{name}</dt>
              <dd className="min-w-0 flex-1 basis-40 py-1 font-mono text-sm break-all">{value}</dd>
              <dd>
                <CopyButton text={value} label={`Copy: ${name}`} {...copied(value)} />
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
};
