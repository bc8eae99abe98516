import { useState } from 'react';
import type { ReactNode } from 'react';
import { shownText } from '../foreign-text.js';
import { Dialog } from './dialog.js';
import { DialogForm } from './dialog-form.js';

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
  const submit = (): void => {
    setPending(true);
    run().then(onClose, (error: unknown) => {
      setFailure(error);
      setPending(false);
    });
  };
  return (
    <Dialog title={title} lead={lead} onClose={onClose}>
      <DialogForm
        action={action}
        isDanger={isDanger}
        isPending={isPending}
        error={failure}
        onSubmit={submit}
        onClose={onClose}
      >
        {children}
      </DialogForm>
    </Dialog>
  );
}

/** Asks before a person, a key or another thing with a name of its own is removed for good. */
export function ConfirmRemoval({
  name,
  title,
  ...asked
}: {
  readonly name: string;
  /** @param name as it can be shown */
  readonly title: (name: string) => string;
  readonly lead: string;
  readonly action: string;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
}): ReactNode {
  return <Confirm title={<bdi>{title(shownText(name, 100).text)}</bdi>} isDanger {...asked} />;
}
