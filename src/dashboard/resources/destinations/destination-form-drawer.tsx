import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Destination, SignedDestination } from '#contract/destinations.ts';
import { ItemFormDrawer } from '../../kit/resource/form-drawer.tsx';
import { SigningSecretView } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { DestinationForm } from './destination-form.tsx';
import { destinationQueries } from './destination-queries.ts';

type Props = {
  isOpen: boolean;
  /** The destination to edit; null: a new one. */
  destinationId: string | null;
  /** `created`: the destination that was added here. */
  onClose: (created: Destination | null) => void;
  onClosed: () => void;
};

/** Types that sign requests; their secret is shown once. */
const signedTypes = new Set(['webhook']);

/** Creates a destination, or edits one. For a type that signs requests, the form is followed by its secret. */
export const DestinationFormDrawer = ({ isOpen, destinationId, onClose, onClosed }: Props) => {
  const types = useQuery(destinationQueries.types());
  const [created, setCreated] = useState<Destination | null>(null);
  const secret = useSecretOnce<SignedDestination>({
    onClose: () => onClose(created),
    need: 'Receivers need it to verify requests.',
    View: DestinationSecret,
  });

  const onCreated = (destination: SignedDestination) => {
    const { secret: shown, ...plain } = destination;
    if (shown === null && !signedTypes.has(destination.type)) {
      onClose(plain);
      return;
    }
    setCreated(plain);
    secret.show(destination);
  };

  return (
    <ItemFormDrawer
      drawer={{ isOpen, onClose: () => onClose(null), onClosed }}
      words={{
        new: { title: 'Add destination', submit: 'Add destination' },
        edit: { title: 'Edit destination', submit: 'Save' },
      }}
      scope="pipelines:write"
      id={destinationId}
      query={destinationQueries.detail}
      reads={[types]}
      secret={secret}
    >
      {(slot, { item, failure }) =>
        types.data !== undefined && (
          <DestinationForm
            slot={slot}
            types={types.data}
            destination={item}
            failure={failure}
            onCreated={onCreated}
            onSaved={() => onClose(null)}
          />
        )
      }
    </ItemFormDrawer>
  );
};

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless Penstock sent the request.
const { pipeline, samples } = new Webhook(secret).verify(rawBody, headers);`;

const DestinationSecret = ({ item, secret, onCopied }: SecretViewProps<SignedDestination>) => (
  <SigningSecretView name={item.name} secret={secret} onCopied={onCopied} code={VERIFY}>
    <p className="text-muted">
      Respond with 2xx after you store the samples. Penstock retries other responses. Samples can arrive twice
      with the same <code className="font-mono text-sm break-words text-ink">webhook-id</code>.
    </p>
  </SigningSecretView>
);
