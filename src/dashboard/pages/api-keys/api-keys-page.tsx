import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ban, Pencil, RefreshCw } from 'lucide-react';
import { Suspense } from 'react';
import type { ApiKey } from '#contract/api-keys.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { NoItems, ResourcePage, RowMenu, type ResourceWords } from '../../kit/resource/resource-page.tsx';
import { useResourceAddress } from '../../kit/resource/use-resource-address.ts';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { Switch } from '../../ui/controls/switch.tsx';
import { apiKeyAddress, showsRevoked } from './api-key-address.ts';
import { apiKeyColumns, useApiKeyState } from './api-key-columns.tsx';
import { useKeyActions, type KeyAction } from './use-key-actions.tsx';
import { lazyDrawer, lazyPopup } from '../../ui/overlays/lazy-popup.tsx';
import { loadedItems } from '../../api/paged-list.ts';

const NewApiKeyDrawer = lazyPopup(async () => (await import('./new-api-key-drawer.tsx')).NewApiKeyDrawer);
const ApiKeyDrawer = lazyDrawer(
  async () => (await import('./api-key-drawer.tsx')).ApiKeyDrawer,
  ({ keyId, onClose }) => ({ isOpen: keyId !== null, onClose }),
);

const words: ResourceWords = {
  title: 'API keys',
  one: 'key',
  create: 'Create key',
  notSearched: 'Turn on “Show revoked” to search revoked keys.',
};

/** All keys: their scopes, their expiry and their last use. */
export const ApiKeysPage = () => {
  const address = useResourceAddress(apiKeyAddress, 'key');
  const { params, form } = address;
  const list = useInfiniteQuery(apiKeyQueries.list(address.filters));
  const rows = loadedItems(list.data);
  const { data: who } = useQuery(sessionQueries.who());
  const sessionKeyId = who?.key?.id ?? null;
  const { start, dialog } = useKeyActions(sessionKeyId);
  const replacedIds = new Set(rows.map(({ rotatedFrom }) => rotatedFrom));
  const rowMenu = (key: ApiKey) => (
    <ApiKeyMenu key={key.id} apiKey={key} onAction={(action) => start(action, key)} />
  );
  return (
    <ResourcePage
      words={words}
      address={address}
      list={list}
      table={{
        columns: apiKeyColumns({ sessionKeyId, replacedIds }),
        rows,
        rowMark: (key) => `${key.revokedAt} ${key.expiresAt} ${key.name}`,
        rowActions: rowMenu,
        empty: (
          <NoItems
            title="No API keys yet"
            create={words.create}
            onCreate={address.create}
            scope="api-keys:manage"
          >
            An API key lets a device, a script or a person use the API within its scopes, until the key
            expires or is revoked.
          </NoItems>
        ),
      }}
      filters={
        <Switch
          label="Show revoked"
          checked={showsRevoked(params)}
          onChange={(event) => address.change({ revoked: event.target.checked ? 'shown' : '' })}
        />
      }
    >
      <Suspense>
        {form.isMounted && (
          <NewApiKeyDrawer isOpen={form.isCreating} onClose={() => form.close()} onClosed={form.onClosed} />
        )}
        {address.hasDrawer && (
          <ApiKeyDrawer keyId={address.openId} sessionKeyId={sessionKeyId} onClose={address.close} />
        )}
      </Suspense>
      {dialog}
    </ResourcePage>
  );
};

const ApiKeyMenu = ({ apiKey, onAction }: { apiKey: ApiKey; onAction: (action: KeyAction) => void }) => {
  const state = useApiKeyState(apiKey);
  const hasEnded = state === 'revoked' || state === 'expired';
  return (
    <RowMenu
      name={apiKey.name}
      items={[
        { label: 'Rename…', icon: <Pencil aria-hidden />, onSelect: () => onAction('rename') },
        {
          label: 'Rotate…',
          icon: <RefreshCw aria-hidden />,
          isDisabled: hasEnded,
          onSelect: () => onAction('rotate'),
        },
        'separator',
        {
          label: 'Revoke…',
          icon: <Ban aria-hidden />,
          isDanger: true,
          isDisabled: state === 'revoked',
          onSelect: () => onAction('revoke'),
        },
      ]}
    />
  );
};
