import type { FormEvent, ReactNode } from 'react';
import { words } from '../words/en.js';
import { Problem } from './problem.js';

/** The form of a dialog: its fields, why it failed, further buttons, cancel and submit. */
export function DialogForm({
  action,
  isDanger = false,
  isPending,
  isBlocked = false,
  error,
  onSubmit,
  onClose,
  further,
  children,
}: {
  /** On the button that submits. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isPending: boolean;
  /** Something that the form needs is missing. */
  readonly isBlocked?: boolean;
  /** `null`: it has not failed. */
  readonly error: unknown;
  /** Neither while it is pending nor while it is blocked. */
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** Beside cancel. */
  readonly further?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const isOff = isPending || isBlocked;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isOff) onSubmit();
  };
  return (
    <form onSubmit={submit}>
      {children}
      {error === null ? null : <Problem error={error} />}
      <div className="dialog-actions">
        {further}
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="submit" className={`button ${isDanger ? 'danger' : 'primary'}`} aria-disabled={isOff}>
          {action}
        </button>
      </div>
    </form>
  );
}
