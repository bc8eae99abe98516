import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { AgentRecord } from '@countersign/contracts';
import { useFreeze } from '../../api/agents.js';
import { shownText } from '../../foreign-text.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Problem } from '../../parts/problem.js';
import { words } from '../../words/en.js';

/** Asks for the reason, and closes once the server has answered that the state is changed. */
export function FreezeDialog({
  agent,
  onClose,
}: {
  readonly agent: AgentRecord;
  readonly onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const change = useFreeze();
  const freeze = agent.status !== 'frozen';
  const name = shownText(agent.name, 60).text;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate({ id: agent.id, freeze, reason: reason.trim() }, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={<bdi>{freeze ? words.agents.freezeTitle(name) : words.agents.unfreezeTitle(name)}</bdi>}
      lead={freeze ? words.agents.freezeLead : words.agents.unfreezeLead}
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <Field
          label={words.agents.reason}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {change.error === null ? null : <Problem error={change.error} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <button
            type="submit"
            className={freeze ? 'button danger' : 'button primary'}
            aria-disabled={change.isPending}
          >
            {freeze ? words.agents.freeze : words.agents.unfreeze}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
