import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useSession, useSignIn } from './api/session.js';
import { keptPlace } from './api/single-sign-on.js';
import { replacePlace, usePlace } from './location.js';
import { Problem } from './parts/problem.js';
import { preferences, setPreferences } from './preferences.js';
import { Screen, screenOf } from './screens/screens.js';
import { SetPassword } from './screens/set-password.js';
import { SignIn } from './screens/sign-in.js';
import { Shell } from './shell.js';
import { words } from './words/en.js';
import { singleSignOnWords } from './words/single-sign-on.js';

const LINK = /^\/sign-in\/([\w-]{43})$/;
const REFUSED = /^\/single-sign-on\/([a-z-]{1,40})$/;
const PASSWORD_LINK = /^\/password\/([\w-]{64})$/;

/** The port of the Solana node that an installation runs on the reader's machine: it prints the link. */
const PORT = /^[1-9]\d{0,4}$/;

/**
 * Signs in by the token in the address, and removes it there at once. Where the reader has named no Solana node, the one of
 * the installation on this machine is asked from then on.
 */
function useLink(path: string, query: URLSearchParams): Pick<ReturnType<typeof useSignIn>, 'isPending' | 'error'> {
  const { mutate, isPending, error } = useSignIn();
  const oneTimeToken = LINK.exec(path)?.[1];
  const isFirst = query.has('first');
  const port = PORT.exec(query.get('rpc') ?? '')?.[0];
  useEffect(() => {
    if (oneTimeToken === undefined) return;
    replacePlace(isFirst ? '#/welcome' : '#/events');
    const keepNode = (): void => {
      if (port !== undefined && preferences().rpcUrl === '') setPreferences({ rpcUrl: `http://127.0.0.1:${port}` });
    };
    mutate({ oneTimeToken }, { onSuccess: keepNode });
  }, [oneTimeToken, isFirst, port, mutate]);
  return { isPending, error };
}

/** The token of a link that sets a password, taken out of the address at once; `null` once it is done with. */
function usePasswordLink(path: string): readonly [string | null, () => void] {
  const [token, setToken] = useState<string | null>(null);
  const found = PASSWORD_LINK.exec(path)?.[1];
  useEffect(() => {
    if (found === undefined) return;
    replacePlace('#/events');
    setToken(found);
  }, [found]);
  return [token, () => setToken(null)];
}

/** The refusal of the provider's sign-in that the address names, taken out of it at once; `null`: none. */
function useRefusal(path: string): Error | null {
  const [reason, setReason] = useState<string | null>(null);
  const found = REFUSED.exec(path)?.[1];
  useEffect(() => {
    if (found === undefined) return;
    replacePlace('#/events');
    setReason(found);
  }, [found]);
  if (reason === null) return null;
  const texts: Readonly<Record<string, string>> = singleSignOnWords.refusals;
  return new Error(Object.hasOwn(texts, reason) ? texts[reason] : singleSignOnWords.refusals.token);
}

/** Continues, after the return from the provider, where the sign-in began. */
function useKeptPlace(): void {
  useEffect(() => {
    const place = keptPlace();
    if (place !== null) replacePlace(place);
  }, []);
}

export function App(): ReactNode {
  useKeptPlace();
  const session = useSession();
  const { path, query } = usePlace();
  const link = useLink(path, query);
  const refusal = useRefusal(path);
  const [passwordToken, passwordDone] = usePasswordLink(path);
  if (passwordToken !== null) return <SetPassword key={passwordToken} token={passwordToken} onDone={passwordDone} />;
  if (session.data === undefined || link.isPending) {
    return (
      <main className="sign-in" id="content">
        {session.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : (
          <Problem error={session.error} retry={() => void session.refetch()} />
        )}
      </main>
    );
  }
  if (session.data === null) return <SignIn failure={link.error ?? refusal} />;
  return (
    <Shell session={session.data} path={screenOf(path)}>
      <Screen session={session.data} path={path} query={query} />
    </Shell>
  );
}
