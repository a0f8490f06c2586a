import { useQuery } from '@tanstack/react-query';
import { FactsPanel } from './facts-panel.tsx';
import type { Connection } from '#contract/service.ts';
import { session } from '../../api/session.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { describeScopes } from '../../resources/access/describe-scopes.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

/** The addresses of the service, and the session of this browser. */
export const ConnectionPage = () => (
  <>
    <PageHeader title="Connection">The addresses for devices and programs, and your session.</PageHeader>
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <AddressesPanel />
      <SessionPanel />
    </div>
  </>
);

/** An address to copy. Before it is loaded, `placeholder` takes as much space, so that nothing moves. */
const Address = ({ text, placeholder }: { text: string | undefined; placeholder: string }) =>
  text === undefined ? (
    // The button beside the address needs room, too.
    <span aria-hidden className="flex min-h-8 items-center pr-9 touch:min-h-11 touch:pr-12">
      <span className="min-w-0 animate-pulse rounded-sm bg-hover font-mono text-sm break-all text-transparent">
        {placeholder}
      </span>
    </span>
  ) : (
    <span className="flex items-center gap-1">
      <span className="min-w-0 font-mono text-sm break-all">{text}</span>
      <CopyButton text={text} label={`Copy: ${text}`} />
    </span>
  );

const ServiceAddress = ({ connection, path }: { connection: Connection | undefined; path: string }) => (
  <Address text={connection && `${connection.baseUrl}${path}`} placeholder={`${session.baseUrl()}${path}`} />
);

const brokerOf = ({ baseUrl, mqtt }: Connection): string | undefined =>
  mqtt === null ? undefined : `${mqtt.tls ? 'mqtts' : 'mqtt'}://${new URL(baseUrl).hostname}:${mqtt.port}`;

const AddressesPanel = () => {
  const query = useQuery(serviceQueries.connection());
  const connection = query.data;
  const broker = connection && brokerOf(connection);
  return (
    <FactsPanel
      title="Addresses"
      aside={<Link to={paths.apiReference}>API reference</Link>}
      query={query}
      hasLongValues
      facts={[
        { name: 'API', value: <ServiceAddress connection={connection} path="/v1" /> },
        {
          name: 'MQTT broker',
          value:
            connection?.mqtt === null ? (
              'Off (MQTT_PORT is 0)'
            ) : (
              <Address text={broker} placeholder={session.baseUrl()} />
            ),
        },
        {
          name: 'InfluxDB line protocol',
          value: <ServiceAddress connection={connection} path="/api/v2/write" />,
        },
        {
          name: 'Prometheus remote write',
          value: <ServiceAddress connection={connection} path="/api/v1/write" />,
        },
        {
          name: 'OpenTelemetry (OTLP/HTTP)',
          value: <ServiceAddress connection={connection} path="/otlp" />,
        },
        {
          name: 'New devices',
          value: connection ? (
            `Up to ${formatCount(connection.registrationLimit)} an hour for each API key, by sending telemetry`
          ) : (
            // On a phone the text has two lines.
            <Skeleton className="my-1 w-40 max-md:mb-6" />
          ),
        },
      ]}
    >
      <p className="mt-2 text-sm text-muted">
        Programs and devices authenticate with an API key. To create one, open{' '}
        <Link to={paths.apiKeys}>API keys</Link>.
      </p>
    </FactsPanel>
  );
};

const SessionPanel = () => {
  const query = useQuery(sessionQueries.who());
  const who = query.data;
  return (
    <FactsPanel
      title="Your session"
      query={query}
      facts={[
        { name: 'Name', value: who && (who.label ?? who.key?.name ?? 'Not set') },
        { name: 'Server', value: <span className="font-mono text-sm break-all">{session.baseUrl()}</span> },
        { name: 'Signed in with', value: who && (who.key?.name ?? 'A sign-in link') },
        { name: 'Access', value: who && describeScopes(who.scopes, who.devices) },
        {
          name: 'Expires',
          value: who && (who.expiresAt === null ? 'Never' : <RelativeTime at={who.expiresAt} />),
        },
      ]}
    />
  );
};
