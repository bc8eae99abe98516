import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ApiKeyRecord } from '@countersign/contracts';
import { revokeApiKey, useApiKeys, useNewApiKey } from '../../api/settings.js';
import { Checks } from '../../parts/checks.js';
import { ConfirmRemoval } from '../../parts/confirm.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Empty } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { number } from '../../words/en.js';
import { settingsWords } from '../../words/settings.js';

type ApiKeyRight = ApiKeyRecord['rights'][number];

const RIGHTS = Object.keys(settingsWords.keys.rightWords) as ApiKeyRight[];

/** Keys of the account: prefix, rights and last use; a new one is shown once. */
export function ApiKeys(): ReactNode {
  const keys = useApiKeys();
  const [isAdding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<ApiKeyRecord | null>(null);
  const { keys: texts } = settingsWords;
  const { columns } = texts;
  return (
    <Card
      title={texts.title}
      actions={
        <button type="button" className="button primary" onClick={() => setAdding(true)}>
          {texts.add}
        </button>
      }
    >
      {keys.error === null ? null : (
        <Problem what={texts.failed} error={keys.error} retry={() => void keys.refetch()} />
      )}
      {keys.data?.length === 0 ? (
        <Empty title={texts.empty}>
          <p>{texts.emptyLead}</p>
        </Empty>
      ) : keys.error !== null && keys.data === undefined ? null : (
        <Table
          label={texts.table}
          rows={keys.data}
          keyOf={({ id }) => id}
          columns={[
            { name: columns.name, cell: ({ name }) => <Foreign text={name} most={120} /> },
            { name: columns.key, cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: columns.rights, cell: ({ first, rights }) => (first ? texts.first : rights.join(', ')) },
            {
              name: columns.agents,
              isNumber: true,
              cell: ({ agentIds }) => (agentIds === null ? texts.all : number(agentIds.length)),
            },
            {
              name: columns.used,
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : <Time iso={lastUsedAt} />),
            },
            { name: columns.actions, isUnnamed: true, cell: (key) => <State apiKey={key} onRevoke={setRevoked} /> },
          ]}
        />
      )}
      {isAdding ? <NewKey onClose={() => setAdding(false)} /> : null}
      {revoked === null ? null : (
        <ConfirmRemoval
          name={revoked.name}
          title={texts.revokeTitle}
          lead={texts.revokeLead}
          action={texts.revoke}
          run={() => revokeApiKey(revoked.id)}
          onClose={() => setRevoked(null)}
        />
      )}
    </Card>
  );
}

function State({
  apiKey,
  onRevoke,
}: {
  readonly apiKey: ApiKeyRecord;
  readonly onRevoke: (key: ApiKeyRecord) => void;
}): ReactNode {
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt !== null) return <span className="badge bad">{settingsWords.keys.revoked}</span>;
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    return <span className="badge plain">{settingsWords.keys.expired}</span>;
  }
  return (
    <button type="button" className="button" onClick={() => onRevoke(apiKey)}>
      {settingsWords.keys.revoke}
    </button>
  );
}

function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [rights, setRights] = useState<readonly ApiKeyRight[]>(['check', 'outcome', 'scan']);
  const [expires, setExpires] = useState('');
  const issue = useNewApiKey();
  const { keys: texts } = settingsWords;
  const submit = (): void =>
    issue.mutate({ name: name.trim(), rights, ...(expires === '' ? {} : { expiresAt: `${expires}:00Z` }) });
  if (issue.data !== undefined) {
    return (
      <Dialog title={texts.issued} lead={texts.issuedLead} onClose={onClose}>
        <Secret text={issue.data.key} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.newTitle} lead={texts.newLead} onClose={onClose}>
      <DialogForm
        action={texts.issue}
        isPending={issue.isPending}
        isBlocked={rights.length === 0}
        error={issue.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Field
          label={texts.name}
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Checks
          legend={texts.rights}
          options={RIGHTS.map((right) => [right, texts.rightWords[right]])}
          chosen={rights}
          onChange={setRights}
        />
        <Field
          label={texts.expires}
          type="datetime-local"
          value={expires}
          onChange={(event) => setExpires(event.target.value.slice(0, 16))}
        />
      </DialogForm>
    </Dialog>
  );
}
