import { useState, type Ref } from 'react';
import { newSessionSchema } from '#contract/sessions.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { signIn } from '../../api/sign-in.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { showScopes } from './show-scopes.ts';

type Props = { onSignedIn: () => void; problem?: string | null; inputRef?: Ref<HTMLInputElement> };

const explain = (error: unknown): string => {
  if (hasCode(error, 'token-invalid')) return 'Unknown API key. Check that you copied all of it.';
  if (hasCode(error, 'token-expired'))
    return 'This key has expired. Use another key, or ask an administrator.';
  if (hasCode(error, 'token-revoked'))
    return 'This key was revoked. Use another key, or ask an administrator.';
  return describeError(error).detail;
};

/** A pasted sign-in link works as well: its token is in the fragment. */
const tokenIn = (text: string): string => /#signin=([^\s&]+)/.exec(text)?.[1] ?? text;

/** The sign-in form. Small on purpose: it is part of the first page. */
export const SignInForm = ({ onSignedIn, problem = null, inputRef }: Props) => {
  const [token, setToken] = useState('');
  const [remember, setRemember] = useState(false);
  const [error, setError] = useState<string | undefined>(problem ?? undefined);
  const [isBusy, setIsBusy] = useState(false);

  const submit = async () => {
    const parsed = newSessionSchema.safeParse({ token: tokenIn(token), remember });
    if (!parsed.success) {
      setError(parsed.error.issues[0]?.message);
      return;
    }
    setIsBusy(true);
    try {
      await signIn(parsed.data.token, remember);
      void showScopes();
      onSignedIn();
    } catch (failure) {
      setError(explain(failure));
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
      className="flex flex-col gap-4"
    >
      <Field label="API key" error={error}>
        <TextInput
          ref={inputRef}
          type="password"
          name="api-key"
          autoComplete="current-password"
          placeholder="pen_key_…"
          value={token}
          onChange={(event) => {
            setToken(event.target.value);
            setError(undefined);
          }}
        />
      </Field>
      <Checkbox
        label="Stay signed in on this browser for 30 days"
        checked={remember}
        onChange={(event) => setRemember(event.target.checked)}
      />
      <Button type="submit" variant="primary" busy={isBusy} className="w-full">
        Sign in
      </Button>
    </form>
  );
};
