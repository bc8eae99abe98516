import type { ReactNode } from 'react';
import { useSession } from './api/session.js';
import { usePlace } from './location.js';
import { Problem } from './parts/problem.js';
import { Agents } from './screens/agents/agents.js';
import { Events } from './screens/events/events.js';
import { SignIn } from './screens/sign-in.js';
import { Shell } from './shell.js';
import { words } from './words/en.js';

export function App(): ReactNode {
  const session = useSession();
  const { path, query } = usePlace();
  if (session.data === undefined) {
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
  if (session.data === null) return <SignIn />;
  const screen = path === '/agents' ? '/agents' : '/events';
  return (
    <Shell session={session.data} path={screen}>
      {screen === '/agents' ? <Agents role={session.data.user.role} query={query} /> : <Events query={query} />}
    </Shell>
  );
}
