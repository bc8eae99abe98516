import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSetPassword } from '../api/session.js';
import { Field } from '../parts/field.js';
import { Problem } from '../parts/problem.js';
import { useTitle } from '../use-title.js';
import { words } from '../words/en.js';

/**
 * Sets the password of the user of a link, with or without a session.
 * @param token of the link; it is no longer in the address
 */
export function SetPassword({ token, onDone }: { readonly token: string; readonly onDone: () => void }): ReactNode {
  const [newPassword, setNext] = useState('');
  const set = useSetPassword();
  const { password: texts } = words;
  useTitle(texts.byLinkTitle);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (set.isSuccess) onDone();
    else if (!set.isPending) set.mutate({ token, newPassword });
  };
  return (
    <main className="sign-in" id="content">
      <form className="sign-in-form" onSubmit={submit}>
        <p className="brand">{words.product}</p>
        <h1>{texts.byLinkTitle}</h1>
        <p className="lead" role="status">
          {set.isSuccess ? texts.byLinkDone : texts.byLinkLead}
        </p>
        {set.isSuccess ? null : (
          <Field
            label={texts.next}
            type="password"
            name="new-password"
            autoComplete="new-password"
            required
            autoFocus
            minLength={12}
            hint={texts.hint}
            value={newPassword}
            onChange={(event) => setNext(event.target.value)}
          />
        )}
        {set.error === null ? null : <Problem error={set.error} />}
        <button type="submit" className="button primary wide" aria-disabled={set.isPending}>
          {set.isSuccess ? texts.signIn : texts.byLinkSubmit}
        </button>
      </form>
    </main>
  );
}
