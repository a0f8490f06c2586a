import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { sessionQueries } from '../../api/session-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { NewApiKeyForm } from './new-api-key-form.tsx';
import { useKeySecret } from './use-key-secret.tsx';

const FORM = 'api-key-form';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** It is gone and can be dropped, and with it the secret that it held. */
  onClosed: () => void;
};

/** Creates a key; in the place of the form comes its secret, which is not left uncopied by accident. */
export const NewApiKeyDrawer = ({ isOpen, onClose, onClosed }: Props) => {
  const [isBusy, setIsBusy] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const { data: who } = useQuery(sessionQueries.who());
  const secret = useKeySecret(onClose);
  return (
    <Drawer
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={secret.made === null ? 'Create API key' : `${secret.made.name} is created`}
      initialFocus={firstField}
      footer={
        secret.made !== null ? (
          secret.footer
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={isBusy} disabled={who === undefined}>
              Create key
            </Button>
          </>
        )
      }
    >
      {secret.made !== null
        ? secret.body
        : who !== undefined && (
            <NewApiKeyForm
              id={FORM}
              held={who.scopes}
              limit={who.keysExpireBy === null ? null : Date.parse(who.keysExpireBy)}
              firstField={firstField}
              onBusy={setIsBusy}
              onCreated={secret.hold}
            />
          )}
    </Drawer>
  );
};
