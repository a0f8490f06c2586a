import { useEffect, useId, useRef, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Logo } from '../../ui/layout/logo.tsx';
import { SignInForm } from '../../resources/access/sign-in-form.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';

/** Only a path of this dashboard: a link must not redirect to another site. */
const safePath = (to: string | null): string =>
  to !== null && /^\/(?![/\\])/.test(to) ? to : paths.overview;

/** The sign-in page. */
export const SignInPage = ({ problem }: { problem: string | null }) => {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const current = useSession();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [wasSignedIn] = useState(current.status === 'active');
  const to = safePath(params.get('to'));
  if (current.status === 'active' && (wasSignedIn || problem === null)) return <Navigate to={to} replace />;
  return (
    // About in the middle, at a fixed distance from the top: an error or a further field moves only what is below it.
    <main className="mx-auto w-full max-w-90 px-4 pt-[max(3rem,calc(50vh-11rem))] pb-12">
      <title>Sign in · Penstock</title>
      <div className="mb-6 flex items-center gap-3">
        <Logo className="size-8" />
        <h1 className="text-xl font-semibold tracking-tight">Sign in to Penstock</h1>
      </div>
      <SignInForm
        inputRef={field}
        problem={problem}
        onSignedIn={() => void navigate(to, { replace: true })}
      />
      <div className="mt-8 flex flex-col gap-3 border-t border-hairline pt-4 text-sm text-muted">
        <p>
          No key yet, or locked out? On the machine that runs the service,{' '}
          <code className="rounded-sm bg-hover px-1 font-mono">penstock signin</code> prints a sign-in link
          (in a clone: <code className="rounded-sm bg-hover px-1 font-mono">npm run signin</code>).
        </p>
        <AnotherServer />
      </div>
    </main>
  );
};

/** The URL of a dashboard without a trailing slash; null if the text is not a URL. */
const dashboardUrlOf = (text: string): string | null => {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
    // Chromium accepts a host with spaces, as %20.
    return /^https?:$/.test(url.protocol) && !url.hostname.includes('%')
      ? url.origin + url.pathname.replace(/\/+$/, '')
      : null;
  } catch {
    return null;
  }
};

/** Each server has its own dashboard: another server is opened without any data of this session. */
const AnotherServer = () => {
  const [isOpen, setIsOpen] = useState<boolean>();
  const [address, setAddress] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const id = useId();
  if (isOpen !== true) {
    return (
      <p>
        This is <span className="break-all text-ink">{window.location.host}</span>.{' '}
        <button
          type="button"
          className="min-h-6 rounded-sm text-accent underline underline-offset-2"
          // The button replaces the field that had the focus.
          ref={(button) => {
            if (isOpen === false) button?.focus();
          }}
          onClick={() => setIsOpen(true)}
        >
          Open another server
        </button>
      </p>
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const url = dashboardUrlOf(address.trim());
        setIsWrong(url === null);
        if (url !== null) window.location.assign(`${url}/`);
      }}
    >
      <label htmlFor={id} className="font-medium text-ink">
        Server URL
      </label>
      <div className="mt-1.5 flex gap-2">
        <TextInput
          id={id}
          inputMode="url"
          placeholder="https://penstock.example:8080"
          value={address}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-error`}
          ref={(input) => {
            if (address === '') input?.focus();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setIsOpen(false);
            setAddress('');
            setIsWrong(false);
          }}
          onChange={(event) => {
            setAddress(event.target.value);
            setIsWrong(false);
          }}
        />
        <Button type="submit">Open</Button>
      </div>
      <p id={`${id}-error`} aria-live="polite" className="mt-1.5 text-bad-text empty:hidden">
        {isWrong && 'Enter a server URL, for example https://penstock.example.com'}
      </p>
    </form>
  );
};
