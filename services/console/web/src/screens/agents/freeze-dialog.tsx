import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useChangeState } from '../../api/agents.js';
import { shownText } from '../../foreign-text.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { words } from '../../words/en.js';

/** Freezes an agent, or unfreezes it; absent for one that is deactivated. */
export function FreezeButton({
  agent: { status },
  role,
  onAsk,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  readonly onAsk: () => void;
}): ReactNode {
  if (status === 'inactive') return null;
  const mayFreeze = role !== 'auditor';
  return (
    <button
      type="button"
      className="button"
      aria-disabled={!mayFreeze}
      title={mayFreeze ? undefined : words.needs('member', role)}
      onClick={() => (mayFreeze ? onAsk() : undefined)}
    >
      {status === 'frozen' ? words.agents.unfreeze : words.agents.freeze}
    </button>
  );
}

/** Asks for the reason, and closes once the server has answered that the state is changed. */
export function FreezeDialog({
  agent,
  onClose,
}: {
  readonly agent: AgentRecord;
  readonly onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const state = useChangeState();
  const freeze = agent.status !== 'frozen';
  const change = freeze ? 'freeze' : 'unfreeze';
  const name = shownText(agent.name, 60).text;
  const submit = (): void => state.mutate({ id: agent.id, change, reason: reason.trim() }, { onSuccess: onClose });
  return (
    <Dialog
      title={<bdi>{freeze ? words.agents.freezeTitle(name) : words.agents.unfreezeTitle(name)}</bdi>}
      lead={freeze ? words.agents.freezeLead : words.agents.unfreezeLead}
      onClose={onClose}
    >
      <DialogForm
        action={freeze ? words.agents.freeze : words.agents.unfreeze}
        isDanger={freeze}
        isPending={state.isPending}
        error={state.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Field
          label={words.agents.reason}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
