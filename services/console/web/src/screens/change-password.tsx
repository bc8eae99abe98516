import { useState } from 'react';
import type { ReactNode } from 'react';
import { useChangePassword } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm } from '../parts/dialog-form.js';
import { Field } from '../parts/field.js';
import { words } from '../words/en.js';

export function ChangePassword({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNext] = useState('');
  const change = useChangePassword();
  const submit = (): void => change.mutate({ currentPassword, newPassword });
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
      <DialogForm
        action={words.password.submit}
        isPending={change.isPending}
        error={change.error}
        onSubmit={submit}
        onClose={onClose}
      >
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
      </DialogForm>
    </Dialog>
  );
}
