import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord } from '@countersign/contracts';
import { useChangeState } from '../../api/agents.js';
import { shownText } from '../../foreign-text.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Copy } from '../../parts/problem.js';
import { agentOverviewWords as texts } from '../../words/agent-overview.js';
import { words } from '../../words/en.js';

/** Deactivates an agent for good, once its name is typed. */
export function DeactivateDialog({
  agent: { id, name },
  onClose,
}: {
  readonly agent: AgentRecord;
  readonly onClose: () => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const state = useChangeState();
  const submit = (): void => state.mutate({ id, change: 'deactivate', reason: reason.trim() }, { onSuccess: onClose });
  return (
    <Dialog
      title={<bdi>{texts.deactivateTitle(shownText(name, 60).text)}</bdi>}
      lead={texts.deactivateLead}
      onClose={onClose}
    >
      <DialogForm
        action={texts.deactivateForGood}
        isDanger
        isPending={state.isPending}
        isBlocked={withoutSpaces(typed) !== withoutSpaces(name)}
        error={state.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <ul className="meaning">
          {texts.meaning.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p>
          {texts.name}{' '}
          <strong>
            <Foreign text={name} most={200} />
          </strong>{' '}
          <Copy text={name} />
        </p>
        <Field
          label={texts.typeName}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
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

/** A field takes no line break, and spaces at the ends of a name are not seen. */
function withoutSpaces(text: string): string {
  return text.normalize('NFC').replaceAll(/\s/g, '');
}
