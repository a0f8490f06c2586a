import type { MintedKey } from '#contract/api-keys.ts';
import { describeError } from '../../../api/api-error.ts';
import { useRotateApiKey } from '../../../api/api-key-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { FormNotice } from '../../../ui/form-notice.tsx';

/** The key was made, but the answer that held its secret never came: nobody has it, and another one is needed. */
export const LostSecret = ({
  apiKey,
  onMinted,
}: {
  apiKey: MintedKey;
  onMinted: (key: MintedKey) => void;
}) => {
  const rotate = useRotateApiKey();
  return (
    <div className="flex flex-col gap-4">
      <FormNotice
        tone="attention"
        action={
          <Button
            look="primary"
            busy={rotate.isPending}
            onClick={() => rotate.mutate({ id: apiKey.id, overlapSeconds: 0 }, { onSuccess: onMinted })}
          >
            Make a new secret
          </Button>
        }
      >
        {apiKey.name} was created, but the connection broke before its secret arrived.
      </FormNotice>
      {rotate.isError && <FormNotice tone="bad">{describeError(rotate.error).detail}</FormNotice>}
    </div>
  );
};
