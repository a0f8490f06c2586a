import type { ApiKey } from '#contract/api-keys.ts';
import { describeScopes } from '../../resources/access/describe-scopes.ts';
import { cx } from '../../ui/browser/cx.ts';
import { rowTextClass, type Column } from '../../ui/table/data-table-props.ts';
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
  return (
    <StateDot tone={tone} className="md:leading-4 md:text-balance md:whitespace-normal!">
      {word}
    </StateDot>
  );
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
  <span className="rounded-full bg-accent-soft px-2 py-px text-xs font-medium whitespace-nowrap text-accent">
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
      className={cx(
        inRow && 'relative z-1 leading-4 whitespace-normal!',
        isSoon ? 'font-medium text-attention-text' : 'text-muted',
      )}
    />
  );
};

const From = ({ address }: { address: string | null }) =>
  address !== null && (
    <>
      {' '}
      from <span className="font-mono text-sm/4">{address}</span>
    </>
  );

export const LastUse = ({ apiKey, inRow = false }: { apiKey: ApiKey; inRow?: boolean }) =>
  apiKey.lastUsedAt === null ? (
    <span className="text-faint">Never used</span>
  ) : (
    <span className={cx('text-muted', inRow && rowTextClass)}>
      <RelativeTime at={apiKey.lastUsedAt} inRow={inRow} className={cx(inRow && 'relative z-1')} />
      <From address={apiKey.lastUsedFrom} />
    </span>
  );

/** When a client last used the key although it is revoked or expired. A row has room for the address only. */
export const LastRejectedUse = ({ apiKey, inRow = false }: { apiKey: ApiKey; inRow?: boolean }) =>
  apiKey.lastRefusedAt === null ? null : (
    <span className={cx('text-attention-text', inRow && rowTextClass)}>
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
    min: 110,
    grow: 2,
    isName: true,
    cell: ({ id, name }) => {
      const isSession = id === sessionKeyId;
      const isReplaced = replacedIds.has(id);
      if (!isSession && !isReplaced) return name;
      // The name gets one line, because the mark may take the second.
      return (
        <span className="flex flex-wrap items-center gap-x-2 leading-4">
          <span data-hint-if-cut className="relative z-1 max-w-full truncate">
            {name}
          </span>
          {isSession && <ThisSession />}
          {isReplaced && (
            <span className="text-xs font-normal text-muted" data-hint="Replaced by a new secret">
              rotated
            </span>
          )}
        </span>
      );
    },
  },
  {
    id: 'state',
    header: 'State',
    min: 100,
    grow: 1.6,
    card: 'aside',
    cell: (key) => <ApiKeyStateDot apiKey={key} />,
  },
  {
    id: 'key',
    header: 'Secret',
    min: 114,
    grow: 0,
    drop: 2,
    card: 'detail',
    cell: (key) => <KeyHint apiKey={key} className="text-muted" />,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    min: 126,
    grow: 2,
    drop: 2,
    card: 'detail',
    cell: ({ scopes, devices }) => {
      const text = describeScopes(scopes, devices);
      return (
        <span
          data-hint={scopes.join(', ')}
          data-row-text
          className={cx(rowTextClass, 'md:text-balance md:pointer-fine:z-1')}
        >
          {text}
        </span>
      );
    },
  },
  {
    id: 'expiresAt',
    header: 'Expires',
    sort: 'expiresAt',
    min: 76,
    grow: 1.35,
    drop: 3,
    card: 'none',
    cell: (key) => (key.revokedAt === null ? <KeyExpiry apiKey={key} inRow /> : null),
  },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    sort: 'lastUsedAt',
    min: 129,
    grow: 2,
    drop: 1,
    card: 'detail',
    cell: (key) =>
      key.lastRefusedAt === null ? <LastUse apiKey={key} inRow /> : <LastRejectedUse apiKey={key} inRow />,
  },
  {
    id: 'createdBy',
    header: 'Created by',
    min: 100,
    grow: 1.25,
    drop: 5,
    card: 'none',
    cell: ({ createdBy }) => <span className={`text-muted ${rowTextClass}`}>{createdBy}</span>,
  },
];
