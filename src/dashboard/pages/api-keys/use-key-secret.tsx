import type { MintedKey } from '#contract/api-keys.ts';
import { session } from '../../api/session.ts';
import { SecretView } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { useRotateApiKey } from '../../resources/access/api-key-queries.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';

/** The secret of a key that was just made, to be copied before one leaves. */
export const useKeySecret = (onClose: () => void) => {
  const { mutateAsync } = useRotateApiKey();
  return useSecretOnce<MintedKey>({
    onClose,
    need: 'You cannot use the key without it.',
    View: KeySecret,
    remake: (id) => mutateAsync({ id, overlapSeconds: 0 }),
  });
};

/** A first request with the key: the devices, or, where it may not see those, who it is. */
const curlLine = ({ scopes }: MintedKey, secret: string): string =>
  `curl -H "Authorization: Bearer ${secret}" ${session.baseUrl()}${
    scopes.includes('devices:read') ? '/v1/devices' : '/v1/session'
  }`;

const KeySecret = ({ made: key, secret, onCopied }: SecretViewProps<MintedKey>) => (
  <SecretView title={`Secret for ${key.name}`} secret={secret} onCopied={onCopied}>
    <div>
      <h3 className="mb-1.5 font-medium">Try it</h3>
      <CodeBlock label="First request with curl" code={curlLine(key, secret)} onCopied={onCopied} />
    </div>
  </SecretView>
);
