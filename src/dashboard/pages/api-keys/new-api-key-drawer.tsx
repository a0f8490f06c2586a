import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '../../api/session-queries.ts';
import { FormDrawer } from '../../kit/resource/form-drawer.tsx';
import { NewApiKeyForm } from './new-api-key-form.tsx';
import { useKeySecret } from './use-key-secret.tsx';

type Props = { isOpen: boolean; onClose: () => void; onClosed: () => void };

/** Creates a key; in the place of the form comes its secret. */
export const NewApiKeyDrawer = (drawer: Props) => {
  const who = useQuery(sessionQueries.who());
  const secret = useKeySecret(drawer.onClose);
  return (
    <FormDrawer
      drawer={drawer}
      words={{ title: 'Create API key', submit: 'Create key' }}
      reads={[who]}
      secret={secret}
    >
      {(slot) =>
        who.data !== undefined && (
          <NewApiKeyForm
            slot={slot}
            held={who.data.scopes}
            limit={who.data.keysExpireBy === null ? null : Date.parse(who.data.keysExpireBy)}
            onCreated={secret.hold}
          />
        )
      }
    </FormDrawer>
  );
};
