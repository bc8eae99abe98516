import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { words } from '../words/en.js';
import { Icon } from './icons.js';

/** A modal dialog: focus stays in it, Escape closes it, and focus returns to where it was. */
export function Dialog({
  title,
  lead,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog">
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="icon-button" aria-label={words.close}>
              <Icon name="close" />
            </Base.Close>
          </header>
          {lead === undefined ? null : <Base.Description className="lead">{lead}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
