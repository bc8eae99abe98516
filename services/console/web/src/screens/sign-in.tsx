import { lazy, Suspense, useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { nextStepOf } from '../api/second-factor.js';
import { howEnded, useSignIn } from '../api/session.js';
import { useLeaveForProvider, useSingleSignOn } from '../api/single-sign-on.js';
import { Field } from '../parts/field.js';
import { Foreign } from '../parts/foreign.js';
import { Problem } from '../parts/problem.js';
import { words } from '../words/en.js';
import { singleSignOnWords } from '../words/single-sign-on.js';
import { useTitle } from '../use-title.js';

/** Loaded for those who need it. */
const SecondStep = lazy(async () => ({ default: (await import('./second-step.js')).SecondStep }));

/**
 * Shown in place of any screen until there is a session; the address keeps the place to continue at.
 * @param failure of a link that was opened
 */
export function SignIn({ failure }: { readonly failure: Error | null }): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn();
  const [left, setLeft] = useState<unknown>(null);
  useTitle(words.signIn.title);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate({ email, password });
  };
  const notes = { expired: words.signIn.expired, 'signed-out': words.signIn.signedOut, idle: words.idle } as const;
  const ended = howEnded();
  const error = signIn.error ?? (signIn.isIdle ? failure : null);
  const next = error === left ? null : nextStepOf(error);
  if (next !== null) {
    return (
      <Suspense fallback={<p className="late">{words.loading}</p>}>
        <SecondStep key={next.token} next={next} onBack={() => setLeft(error)} />
      </Suspense>
    );
  }
  return (
    <main className="sign-in" id="content">
      <form className="sign-in-form" onSubmit={submit}>
        <p className="brand">{words.product}</p>
        <h1>{words.signIn.title}</h1>
        <p className="lead" role="status">
          {ended === null ? words.signIn.lead : notes[ended]}
        </p>
        <Field
          label={words.signIn.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label={words.signIn.password}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {error === null || error === left ? null : <Problem error={error} />}
        <button type="submit" className="button primary wide" aria-disabled={signIn.isPending}>
          {signIn.isPending ? words.signIn.busy : words.signIn.submit}
        </button>
        <Provider />
        <p className="hint">{words.signIn.lost}</p>
        <p className="hint">{words.signIn.firstStart}</p>
      </form>
    </main>
  );
}

/** The button of the provider, where people may sign in at one. */
function Provider(): ReactNode {
  const { data: offer } = useSingleSignOn();
  const leave = useLeaveForProvider();
  if (offer === undefined || offer === null) return null;
  const start = (): void => {
    if (!leave.isPending) leave.mutate(offer);
  };
  return (
    <>
      {leave.error === null ? null : <Problem error={leave.error} />}
      <button type="button" className="button wide" aria-disabled={leave.isPending} onClick={start}>
        {leave.isPending ? singleSignOnWords.busy : <Foreign text={singleSignOnWords.submit(offer.label)} />}
      </button>
    </>
  );
}
