import { useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Mark } from '../../ui/layout/mark.tsx';
import { SignInForm } from '../../resources/access/sign-in-form.tsx';
import { AnotherServer } from './another-server.tsx';

/** Only an address of this dashboard: whoever made the link must not choose where one lands. */
const safePath = (to: string | null): string =>
  to !== null && /^\/(?![/\\])/.test(to) ? to : paths.overview;

/** One field; the rest is for those who need it. */
export const SignInPage = ({ problem }: { problem: string | null }) => {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const current = useSession();
  const [wasSignedIn] = useState(current.status === 'active');
  const to = safePath(params.get('to'));
  if (current.status === 'active' && (wasSignedIn || problem === null)) return <Navigate to={to} replace />;
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-90 flex-col justify-center px-4 py-12">
      <title>Sign in · Penstock</title>
      <div className="mb-6 flex items-center gap-3">
        <Mark className="size-8" />
        <h1 className="text-xl font-semibold tracking-tight">Sign in to Penstock</h1>
      </div>
      <SignInForm problem={problem} onSignedIn={() => void navigate(to, { replace: true })} />
      <div className="mt-8 flex flex-col gap-3 border-t border-hairline pt-4 text-sm text-muted">
        <p>
          No key yet, or locked out? On the machine that runs the service,{' '}
          <code className="rounded-sm bg-hover px-1 font-mono">npm run signin</code> prints a link that signs
          in by itself.
        </p>
        <AnotherServer />
      </div>
    </main>
  );
};
