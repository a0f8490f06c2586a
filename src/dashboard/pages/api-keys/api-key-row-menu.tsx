import { Ban, Ellipsis, Pencil, RefreshCw } from 'lucide-react';
import type { ApiKey } from '#contract/api-keys.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useApiKeyState } from './api-key-state.tsx';
import type { KeyAct } from './key-act.ts';

/** What can be done with a key from its row. */
export const ApiKeyRowMenu = ({ apiKey, onAct }: { apiKey: ApiKey; onAct: (act: KeyAct) => void }) => {
  const state = useApiKeyState(apiKey);
  const hasEnded = state === 'revoked' || state === 'expired';
  return (
    <Menu
      label={`Actions for ${apiKey.name}`}
      isIconOnly
      icon={<Ellipsis />}
      items={[
        { label: 'Rename…', icon: <Pencil aria-hidden />, onSelect: () => onAct('rename') },
        {
          label: 'Rotate…',
          icon: <RefreshCw aria-hidden />,
          isDisabled: hasEnded,
          onSelect: () => onAct('rotate'),
        },
        'separator',
        {
          label: 'Revoke…',
          icon: <Ban aria-hidden />,
          isDanger: true,
          isDisabled: state === 'revoked',
          onSelect: () => onAct('revoke'),
        },
      ]}
    />
  );
};
