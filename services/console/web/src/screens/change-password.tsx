import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useChangePassword } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { Problem } from '../parts/problem.js';
import { words } from '../words/en.js';

export function ChangePassword({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNext] = useState('');
  const change = useChangePassword();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate({ currentPassword, newPassword });
  };
  if (change.isSuccess) {
    return (
      <Dialog title={words.password.title} onClose={onClose}>
        <p role="status">{words.password.done}</p>
        <div className="dialog-actions">
          <button type="button" className="button primary" onClick={onClose}>
            {words.close}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={words.password.title} lead={words.password.lead} onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label={words.password.current}
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <Field
          label={words.password.next}
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          hint={words.password.hint}
          value={newPassword}
          onChange={(event) => setNext(event.target.value)}
        />
        {change.error === null ? null : <Problem error={change.error} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <button type="submit" className="button primary" aria-disabled={change.isPending}>
            {words.password.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
