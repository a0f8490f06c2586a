import { useQuery } from '@tanstack/react-query';
import type { Connection } from '#contract/service.ts';
import { session } from '../../api/session.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { describeScopes } from '../../resources/access/describe-scopes.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

/** Where devices and programs reach the service, and as whom this browser is signed in. */
export const ConnectionPage = () => (
  <>
    <PageHeader title="Connection">The addresses for devices and programs, and your session.</PageHeader>
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Addresses />
      <SessionPanel />
    </div>
  </>
);

const Address = ({ text }: { text: string }) => (
  <span className="flex items-center gap-1">
    <span className="min-w-0 font-mono text-sm break-all">{text}</span>
    <CopyButton text={text} label={`Copy: ${text}`} />
  </span>
);

const brokerOf = ({ baseUrl, mqtt }: Connection): string | undefined =>
  mqtt === null ? undefined : `${mqtt.tls ? 'mqtts' : 'mqtt'}://${new URL(baseUrl).hostname}:${mqtt.port}`;

const Addresses = () => {
  const { data, error, refetch } = useQuery(serviceQueries.connection());
  if (data === undefined && error !== null) {
    return (
      <Panel title="Addresses" flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  const wait = <Skeleton className="h-4 w-56" />;
  const broker = data === undefined ? undefined : brokerOf(data);
  return (
    <Panel title="Addresses" aside={<Link to={paths.apiReference}>API reference</Link>}>
      <KeyValueList
        items={[
          { name: 'API', value: data === undefined ? wait : <Address text={`${data.baseUrl}/v1`} /> },
          {
            name: 'MQTT broker',
            value:
              data === undefined ? (
                wait
              ) : broker === undefined ? (
                'Off (MQTT_PORT is 0)'
              ) : (
                <Address text={broker} />
              ),
          },
          {
            name: 'InfluxDB line protocol',
            value: data === undefined ? wait : <Address text={`${data.baseUrl}/api/v2/write`} />,
          },
          {
            name: 'New devices',
            value:
              data === undefined
                ? wait
                : `Up to ${formatCount(data.registrationLimit)} an hour for each API key, by sending telemetry`,
          },
        ]}
      />
      <p className="mt-2 text-sm text-muted">
        Programs and devices sign in with an API key. To create one, open{' '}
        <Link to={paths.apiKeys}>API keys</Link>.
      </p>
    </Panel>
  );
};

const SessionPanel = () => {
  const { data, error, refetch } = useQuery(sessionQueries.who());
  const wait = <Skeleton className="h-4 w-40" />;
  if (data === undefined && error !== null) {
    return (
      <Panel title="Your session" flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  return (
    <Panel title="Your session">
      <KeyValueList
        items={[
          { name: 'Name', value: data === undefined ? wait : (data.label ?? data.key?.name ?? 'Not set') },
          { name: 'Server', value: <span className="font-mono text-sm break-all">{session.baseUrl()}</span> },
          { name: 'Signed in with', value: data === undefined ? wait : (data.key?.name ?? 'A sign-in link') },
          { name: 'Access', value: data === undefined ? wait : describeScopes(data.scopes, data.devices) },
          {
            name: 'Expires',
            value:
              data === undefined ? (
                wait
              ) : data.expiresAt === null ? (
                'Never'
              ) : (
                <RelativeTime at={data.expiresAt} />
              ),
          },
        ]}
      />
    </Panel>
  );
};
