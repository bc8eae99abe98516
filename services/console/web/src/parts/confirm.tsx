import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { words } from '../words/en.js';
import { Dialog } from './dialog.js';
import { Problem } from './problem.js';

/** Asks before something that cannot be undone; closes once it is done. */
export function Confirm({
  title,
  lead,
  action,
  isDanger = false,
  run,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly lead: string;
  /** On the button. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}): ReactNode {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    run().then(onClose, (error: unknown) => {
      setFailure(error);
      setPending(false);
    });
  };
  return (
    <Dialog title={title} lead={lead} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {failure === null ? null : <Problem error={failure} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <button type="submit" className={`button ${isDanger ? 'danger' : 'primary'}`} aria-disabled={isPending}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
