import type { ApiKey } from '#contract/api-keys.ts';
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
  // The remaining days tell how urgent a rotation is.
  const left = useClock((nowMs) =>
    key.expiresAt === null ? '' : formatDuration(Math.max(0, Date.parse(key.expiresAt) - nowMs)),
  );
  return { word: tone === 'attention' ? `Expires in ${left}` : word, tone };
};

export const ApiKeyStateDot = ({ apiKey }: { apiKey: Ending }) => {
  const { word, tone } = useStateDisplay(apiKey);
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const ApiKeyStateBadge = ({ apiKey }: { apiKey: Ending }) => {
  const { word, tone } = useStateDisplay(apiKey);
  return <Badge tone={tone}>{word}</Badge>;
};
