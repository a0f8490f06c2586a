import type { ApiKey } from '#contract/api-keys.ts';
import { describeScopes } from '../../resources/access/describe-scopes.ts';
import { cx } from '../../ui/browser/cx.ts';
import type { Column } from '../../ui/table/data-table-props.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

const DAY_MS = 86_400_000;
/** From this time before its expiry a key is highlighted. */
const WARN_BEFORE_MS = 14 * DAY_MS;

type ApiKeyState = 'active' | 'expiring' | 'expired' | 'revoked';
type Ending = Pick<ApiKey, 'revokedAt' | 'expiresAt'>;

const apiKeyStateOf = ({ revokedAt, expiresAt }: Ending, nowMs: number): ApiKeyState => {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= WARN_BEFORE_MS ? 'expiring' : 'active';
};

/** The current state, which changes with time. */
export const useApiKeyState = (key: Ending): ApiKeyState => useClock((nowMs) => apiKeyStateOf(key, nowMs));

const stateDisplay: Record<ApiKeyState, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  expiring: { word: 'Expires soon', tone: 'attention' },
  expired: { word: 'Expired', tone: 'idle' },
  revoked: { word: 'Revoked', tone: 'idle' },
};

const useStateDisplay = (key: Ending): { word: string; tone: Tone } => {
  const { word, tone } = stateDisplay[useApiKeyState(key)];
  // The remaining days show how urgent a rotation is.
  const left = useClock((nowMs) =>
    key.expiresAt === null ? '' : formatDuration(Math.max(0, Date.parse(key.expiresAt) - nowMs)),
  );
  return { word: tone === 'attention' ? `Expires in ${left}` : word, tone };
};

const ApiKeyStateDot = ({ apiKey }: { apiKey: Ending }) => {
  const { word, tone } = useStateDisplay(apiKey);
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const ApiKeyStateBadge = ({ apiKey }: { apiKey: Ending }) => {
  const { word, tone } = useStateDisplay(apiKey);
  return <Badge tone={tone}>{word}</Badge>;
};

/** The parts of a secret that identify its key. */
export const KeyHint = ({ apiKey, className }: { apiKey: ApiKey; className?: string }) => (
  <span className={cx('truncate font-mono text-sm', className)}>
    {apiKey.prefix}…{apiKey.last4}
  </span>
);

export const ThisSession = () => (
  <span className="rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium text-accent">
    This session
  </span>
);

/** When the key expires; the last two weeks are highlighted. */
export const KeyExpiry = ({ apiKey, inRow = false }: { apiKey: ApiKey; inRow?: boolean }) => {
  const isSoon = useApiKeyState(apiKey) === 'expiring';
  if (apiKey.expiresAt === null) return <span className="text-muted">Never</span>;
  return (
    <RelativeTime
      at={apiKey.expiresAt}
      inRow={inRow}
      className={cx(inRow && 'relative z-1', isSoon ? 'font-medium text-attention-text' : 'text-muted')}
    />
  );
};

const From = ({ address }: { address: string | null }) =>
  address !== null && (
    <>
      {' '}
      from <span className="font-mono text-sm">{address}</span>
    </>
  );

export const LastUse = ({ apiKey, inRow = false }: { apiKey: ApiKey; inRow?: boolean }) =>
  apiKey.lastUsedAt === null ? (
    <span className="text-faint">Never used</span>
  ) : (
    <span className={cx('text-muted', inRow && 'min-w-0 truncate')}>
      <RelativeTime at={apiKey.lastUsedAt} inRow={inRow} className={cx(inRow && 'relative z-1')} />
      <From address={apiKey.lastUsedFrom} />
    </span>
  );

/** When a client last used the key although it is revoked or expired. A row has room for the address only. */
export const LastRejectedUse = ({ apiKey, inRow = false }: { apiKey: ApiKey; inRow?: boolean }) =>
  apiKey.lastRefusedAt === null ? null : (
    <span className={cx('text-attention-text', inRow && 'min-w-0 truncate')}>
      {inRow ? 'Rejected' : <RelativeTime at={apiKey.lastRefusedAt} />}
      <From address={apiKey.lastRefusedFrom} />
    </span>
  );

type Known = {
  sessionKeyId: string | null;
  /** Keys whose secret was rotated: a new key with the same name replaces them. */
  replacedIds: ReadonlySet<string | null>;
};

export const apiKeyColumns = ({ sessionKeyId, replacedIds }: Known): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    min: 140,
    grow: 2,
    isName: true,
    cell: ({ id, name }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span data-hint-if-cut className="relative z-1 truncate">
          {name}
        </span>
        {id === sessionKeyId && <ThisSession />}
        {replacedIds.has(id) && (
          <span className="text-xs font-normal text-muted" data-hint="Replaced by a new secret">
            rotated
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    min: 124,
    grow: 0,
    card: 'aside',
    cell: (key) => <ApiKeyStateDot apiKey={key} />,
  },
  {
    id: 'key',
    header: 'Secret',
    min: 118,
    grow: 0,
    drop: 2,
    card: 'detail',
    cell: (key) => <KeyHint apiKey={key} className="text-muted" />,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    min: 140,
    grow: 2,
    drop: 3,
    card: 'detail',
    cell: ({ scopes, devices }) => {
      const text = describeScopes(scopes, devices);
      return (
        <span data-hint={scopes.join(', ')} className="truncate">
          {text}
        </span>
      );
    },
  },
  {
    id: 'expiresAt',
    header: 'Expires',
    sort: 'expiresAt',
    min: 104,
    grow: 0,
    drop: 1,
    card: 'none',
    cell: (key) => (key.revokedAt === null ? <KeyExpiry apiKey={key} inRow /> : null),
  },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    sort: 'lastUsedAt',
    min: 170,
    grow: 3,
    drop: 1,
    card: 'detail',
    cell: (key) =>
      key.lastRefusedAt === null ? <LastUse apiKey={key} inRow /> : <LastRejectedUse apiKey={key} inRow />,
  },
  {
    id: 'createdBy',
    header: 'Created by',
    min: 100,
    grow: 1,
    drop: 5,
    card: 'none',
    cell: ({ createdBy }) => <span className="truncate text-muted">{createdBy}</span>,
  },
];
