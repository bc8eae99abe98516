import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useSaveClients } from '../../api/agents.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { entriesOf } from './draft.js';

/** The OAuth clients under which the agent calls. Those of a deactivated agent are shown and cannot be changed. */
export function OauthClients({ agent, role }: { readonly agent: AgentRecord; readonly role: Role }): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const { clients: texts } = agentWords;
  const { status, oauth_client_ids: ids = [] } = agent;
  const mayEdit = role !== 'auditor';
  const edit = (
    <button
      type="button"
      className="button"
      aria-disabled={!mayEdit}
      title={mayEdit ? undefined : words.needs('member', role)}
      onClick={() => (mayEdit ? setEditing(true) : undefined)}
    >
      {texts.edit}
    </button>
  );
  return (
    <Card title={texts.title} lead={texts.lead} actions={status === 'inactive' ? undefined : edit}>
      {ids.length === 0 ? (
        <p className="muted">{texts.none}</p>
      ) : (
        <ul className="client-ids" aria-label={texts.title}>
          {ids.map((id) => (
            <li key={id} className="mono">
              <Foreign text={id} />
            </li>
          ))}
        </ul>
      )}
      {status === 'inactive' && ids.length > 0 ? <p className="muted">{texts.free}</p> : null}
      {isEditing ? <ClientsDialog id={agent.id} ids={ids} onClose={() => setEditing(false)} /> : null}
    </Card>
  );
}

function ClientsDialog({
  id,
  ids,
  onClose,
}: {
  readonly id: string;
  readonly ids: readonly string[];
  readonly onClose: () => void;
}): ReactNode {
  const field = useId();
  const [text, setText] = useState(ids.join('\n'));
  const save = useSaveClients();
  const { clients: texts } = agentWords;
  const submit = (): void =>
    save.mutate({ id, oauth_client_ids: [...new Set(entriesOf(text))] }, { onSuccess: onClose });
  return (
    <Dialog title={texts.edit} lead={texts.editLead} onClose={onClose}>
      <DialogForm action={texts.save} isPending={save.isPending} error={save.error} onSubmit={submit} onClose={onClose}>
        <div className="field">
          <label htmlFor={field}>{texts.label}</label>
          <textarea
            id={field}
            className="input area mono"
            rows={6}
            spellCheck={false}
            autoCapitalize="off"
            aria-describedby={`${field}-hint`}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <p className="hint" id={`${field}-hint`}>
            {texts.hint}
          </p>
        </div>
      </DialogForm>
    </Dialog>
  );
}
