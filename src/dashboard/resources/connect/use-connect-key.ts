import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { apiKeyQueries } from '../access/api-key-queries.ts';
import { useRevokedUnlessUsed } from './use-revoked-unless-used.ts';

const MAX_NAME = 100;

/** The name of the key that Connect creates for a tool or a device. */
export const connectKeyName = (label: string): string => `${label} (Connect)`.slice(0, MAX_NAME);

/** The key of a Connect page and its activity: the key that the page created, or the latest one that it created before. */
export const useConnectKey = (name: string) => {
  const [minted, setMinted] = useState<MintedKey | null>(null);
  const canList = useHasScope('api-keys:manage');
  const { data: named, isLoading } = useQuery({ ...apiKeyQueries.named(name), enabled: canList });
  const earlier = minted === null ? (named ?? null) : null;
  const watched = minted ?? earlier;
  const { data: activity } = useQuery({
    ...apiKeyQueries.activity(watched?.id ?? ''),
    enabled: watched !== null,
  });
  const isUsed = activity !== undefined && activity.lastUsedAt !== null;
  const onCopied = useRevokedUnlessUsed(minted, isUsed, () => setMinted(null));
  return { isLoading, minted, earlier, activity, isUsed, setMinted, onCopied };
};
export type ConnectKeyState = ReturnType<typeof useConnectKey>;
