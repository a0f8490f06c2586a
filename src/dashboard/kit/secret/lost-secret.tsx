import { useMutation } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

type Props<T> = {
  made: { id: string; name: string };
  remake?: (id: string) => Promise<T>;
  onRemade: (made: T) => void;
};

/** Shown where something was created, but the answer that held its secret never came: nobody has the secret. */
export const LostSecret = <T,>({ made: { id, name }, remake, onRemade }: Props<T>) => {
  const what = `${name} was created, but the connection broke before its secret arrived.`;
  if (remake === undefined)
    return <FormNotice tone="attention">{what} Delete it and add it again to have one.</FormNotice>;
  return <Remake what={what} remake={() => remake(id)} onRemade={onRemade} />;
};

type RemakeProps<T> = { what: string; remake: () => Promise<T>; onRemade: (made: T) => void };

const Remake = <T,>({ what, remake, onRemade }: RemakeProps<T>) => {
  // The secret in the answer is kept out of the cache of mutations.
  const { mutate, isPending, error } = useMutation({ mutationFn: remake, gcTime: 0 });
  return (
    <div className="flex flex-col gap-4">
      <FormNotice
        tone="attention"
        action={
          <Button
            look="primary"
            busy={isPending}
            onClick={() => mutate(undefined, { onSuccess: (made) => onRemade(made) })}
          >
            Make a new secret
          </Button>
        }
      >
        {what}
      </FormNotice>
      {error !== null && <FormNotice tone="bad">{describeError(error).detail}</FormNotice>}
    </div>
  );
};
