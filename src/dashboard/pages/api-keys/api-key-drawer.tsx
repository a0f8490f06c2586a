import { useQueries, useQuery } from '@tanstack/react-query';
import type { ApiKey } from '#contract/api-keys.ts';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import {
  ActivityLink,
  DrawerActions,
  DrawerSection,
  ResourceDrawer,
} from '../../kit/resource/resource-drawer.tsx';
import { paths, withQuery } from '../../paths.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import {
  KeyExpiry,
  KeyHint,
  LastRejectedUse,
  LastUse,
  ThisSession,
  ApiKeyStateBadge,
  useApiKeyState,
} from './api-key-columns.tsx';
import { scopeSentences } from './scope-presets.ts';
import { useKeyActions } from './use-key-actions.tsx';

type Props = { keyId: string | null; sessionKeyId: string | null; onClose: () => void };

export const ApiKeyDrawer = ({ keyId, sessionKeyId, onClose }: Props) => (
  <ResourceDrawer
    id={keyId}
    kind="API key"
    query={apiKeyQueries.detail}
    onClose={onClose}
    renderActions={(key) => <KeyActions apiKey={key} sessionKeyId={sessionKeyId} />}
  >
    {(key) => <KeyFacts apiKey={key} isThisSession={key.id === sessionKeyId} />}
  </ResourceDrawer>
);

const KeyActions = ({ apiKey, sessionKeyId }: { apiKey: ApiKey; sessionKeyId: string | null }) => {
  const state = useApiKeyState(apiKey);
  const { start, dialog } = useKeyActions(sessionKeyId);
  return (
    <>
      <DrawerActions
        actions={[
          ...(state === 'revoked'
            ? []
            : [{ label: 'Revoke…', isDanger: true, onSelect: () => start('revoke', apiKey) }]),
          { label: 'Rename…', onSelect: () => start('rename', apiKey) },
          ...(state === 'active' || state === 'expiring'
            ? [{ label: 'Rotate…', onSelect: () => start('rotate', apiKey) }]
            : []),
        ]}
      />
      {dialog}
    </>
  );
};

const KeyFacts = ({ apiKey, isThisSession }: { apiKey: ApiKey; isThisSession: boolean }) => (
  <div className="flex flex-col gap-6">
    <KeyValueList
      items={[
        {
          name: 'State',
          value: (
            <span className="flex flex-wrap items-center gap-2">
              <ApiKeyStateBadge apiKey={apiKey} />
              {isThisSession && <ThisSession />}
            </span>
          ),
        },
        { name: 'Secret', value: <KeyHint apiKey={apiKey} /> },
        ...(apiKey.revokedAt === null
          ? [{ name: 'Expires', value: <KeyExpiry apiKey={apiKey} /> }]
          : [{ name: 'Revoked', value: <RelativeTime at={apiKey.revokedAt} /> }]),
        { name: 'Last used', value: <LastUse apiKey={apiKey} /> },
        ...(apiKey.lastRefusedAt === null
          ? []
          : [
              {
                name: 'Last rejected',
                value: (
                  <>
                    <LastRejectedUse apiKey={apiKey} />
                    <span className="block text-sm text-muted">
                      The client needs another key. <ReplacementLink apiKey={apiKey} />
                    </span>
                  </>
                ),
              },
            ]),
        {
          name: 'Requests in the last hour',
          value: <span className="tabular">{formatCount(apiKey.usedLastHour)}</span>,
        },
        {
          name: 'Created',
          value: (
            <>
              <RelativeTime at={apiKey.createdAt} />
              {apiKey.createdBy !== null && ` by ${apiKey.createdBy}`}
            </>
          ),
        },
        ...(apiKey.rotatedFrom === null
          ? []
          : [
              {
                name: 'Rotated from',
                value: (
                  <Link to={withQuery(paths.apiKeys, { key: apiKey.rotatedFrom, revoked: 'shown' })}>
                    previous key
                  </Link>
                ),
              },
            ]),
      ]}
    />
    <DrawerSection title="Scopes">
      <ul className="divide-y divide-hairline">
        {apiKey.scopes.map((scope) => (
          <li key={scope} className="py-2">
            <span className="block font-mono text-sm">{scope}</span>
            <span className="text-sm text-muted">{scopeSentences[scope]}</span>
          </li>
        ))}
      </ul>
    </DrawerSection>
    <DrawerSection title="Devices">
      {apiKey.devices === null ? (
        <p className="text-muted">All devices.</p>
      ) : (
        <LimitedTo devices={apiKey.devices} />
      )}
      {apiKey.devices === null && apiKey.scopes.includes('telemetry:write') && <RegistrationLimit />}
    </DrawerSection>
    <ActivityLink id={apiKey.id} kind="key" />
  </div>
);

/** Creates a key with the same name, scopes and devices. */
const ReplacementLink = ({ apiKey: { id } }: { apiKey: ApiKey }) => (
  <Link to={withQuery(paths.apiKeys, { create: id })}>Create key</Link>
);

const RegistrationLimit = () => {
  const { data } = useQuery(serviceQueries.connection());
  if (data === undefined) return null;
  return (
    <p className="text-muted">
      By sending telemetry, this key can register up to {formatCount(data.registrationLimit)} new devices an
      hour (REGISTRATION_LIMIT).
    </p>
  );
};

/** A key may be limited to a thousand devices: this many are listed. */
const NAMED = 20;

const LimitedTo = ({ devices }: { devices: readonly string[] }) => {
  const named = devices.slice(0, NAMED);
  const names = useQueries({
    queries: named.map((id) => deviceQueries.detail(id)),
    combine: (results) =>
      results.map(({ data, isError }) => data?.name ?? (isError ? 'Deleted device' : '…')),
  });
  return (
    <ul className="divide-y divide-hairline">
      {named.map((id, index) => (
        <li key={id} className="py-2">
          <Link to={paths.device(id)}>{names[index]}</Link>
        </li>
      ))}
      {devices.length > NAMED && (
        <li className="py-2 text-muted">and {formatCount(devices.length - NAMED)} more</li>
      )}
    </ul>
  );
};
