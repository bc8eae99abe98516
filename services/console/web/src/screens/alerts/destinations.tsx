import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AlertConfigRecord, Role } from '@countersign/contracts';
import { useAlertConfigs, usePutConfig, useTestAddress } from '../../api/alerts.js';
import type { TestResult } from '../../api/alerts.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Choice, Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { Table } from '../../parts/table.js';
import { alertWords } from '../../words/alerts.js';
import { words } from '../../words/en.js';
import { AlertParts } from './alert-parts.js';

export const SEVERITIES = ['P1', 'P2', 'P3'] as const satisfies readonly AlertConfigRecord['minSeverity'][];

/** Who gets messages, and from which severity on. */
export function Destinations({ role }: { readonly role: Role }): ReactNode {
  const configs = useAlertConfigs();
  const [isAdding, setAdding] = useState(false);
  const mayChange = role !== 'auditor';
  const { columns } = alertWords.configs;
  return (
    <Page
      title={alertWords.title}
      name={alertWords.destinations}
      actions={
        <button
          type="button"
          className="button primary"
          aria-disabled={!mayChange}
          title={mayChange ? undefined : words.needs('member', role)}
          onClick={() => (mayChange ? setAdding(true) : undefined)}
        >
          {alertWords.configs.add}
        </button>
      }
    >
      <AlertParts current="/destinations" />
      {configs.error === null ? null : (
        <Problem what={alertWords.configs.failed} error={configs.error} retry={() => void configs.refetch()} />
      )}
      {configs.data?.length === 0 ? (
        <Empty title={alertWords.configs.empty}>
          <p>{alertWords.configs.emptyLead}</p>
        </Empty>
      ) : configs.error !== null && configs.data === undefined ? null : (
        <Table
          label={alertWords.configs.table}
          rows={configs.data}
          keyOf={({ id }) => id}
          columns={[
            { name: columns.destination, cell: ({ destination }) => <Foreign text={destination} most={120} /> },
            { name: columns.kind, cell: ({ kind }) => alertWords.configs.kinds[kind] },
            { name: columns.severity, cell: ({ minSeverity }) => minSeverity },
            { name: columns.state, cell: (config) => <ConfigState config={config} /> },
            {
              name: columns.actions,
              isUnnamed: true,
              cell: ({ id }) => <a href={`#/alerts/destinations/${id}`}>{alertWords.configs.log}</a>,
            },
          ]}
        />
      )}
      {isAdding ? <AddDestination onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

/** State of a destination: on, or off with the reason where the service turned it off. */
export function ConfigState({ config }: { readonly config: AlertConfigRecord }): ReactNode {
  const { enabled, disabledReason } = config;
  return (
    <>
      <span className={`badge ${enabled ? 'good' : 'plain'}`}>
        {enabled ? alertWords.configs.on : alertWords.configs.off}
      </span>
      {disabledReason === null ? null : (
        <span className="note beside">
          <Foreign text={disabledReason} most={200} />
        </span>
      )}
    </>
  );
}

/** Outcome of a test message, or why none was sent. */
export function TestOutcome({
  test: { data, error },
}: {
  readonly test: { readonly data: TestResult | undefined; readonly error: Error | null };
}): ReactNode {
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return null;
  const { delivered, status } = data;
  return (
    <p className={delivered ? 'held-note good' : 'held-note bad'} role="status">
      {delivered ? alertWords.configs.delivered(status) : alertWords.configs.notDelivered(status)}
    </p>
  );
}

function AddDestination({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [kind, setKind] = useState<AlertConfigRecord['kind']>('webhook');
  const [destination, setDestination] = useState('');
  const [minSeverity, setSeverity] = useState<AlertConfigRecord['minSeverity']>('P2');
  const put = usePutConfig();
  const test = useTestAddress();
  const where = { kind, destination: destination.trim() };
  const submit = (): void =>
    put.mutate(
      { ...where, minSeverity },
      { onSuccess: ({ secret }) => (secret === undefined ? onClose() : undefined) },
    );
  const isFilled = where.destination !== '';
  if (put.data?.secret !== undefined) {
    return (
      <Dialog title={alertWords.configs.secretTitle} lead={alertWords.configs.secretLead} onClose={onClose}>
        <Secret text={put.data.secret} onClose={onClose} />
      </Dialog>
    );
  }
  const { kinds, address, hint } = alertWords.configs;
  return (
    <Dialog title={alertWords.configs.add} onClose={onClose}>
      <DialogForm
        action={alertWords.configs.save}
        isPending={put.isPending}
        error={put.error}
        onSubmit={submit}
        onClose={onClose}
        further={
          <button
            type="button"
            className="button"
            aria-disabled={test.isPending || !isFilled}
            onClick={() => (test.isPending || !isFilled ? undefined : test.mutate(where))}
          >
            {test.isPending ? alertWords.configs.testing : alertWords.configs.test}
          </button>
        }
      >
        <Choice
          label={alertWords.configs.kind}
          value={kind}
          options={(['webhook', 'email'] as const).map((one) => [one, kinds[one]])}
          onChange={(one) => setKind(one as AlertConfigRecord['kind'])}
        />
        <Field
          label={address[kind]}
          type={kind === 'email' ? 'email' : 'url'}
          required
          maxLength={2048}
          hint={hint[kind]}
          value={destination}
          onChange={(event) => setDestination(event.target.value)}
        />
        <Choice
          label={alertWords.configs.severity}
          value={minSeverity}
          options={SEVERITIES.map((one) => [one, one])}
          onChange={(one) => setSeverity(one as AlertConfigRecord['minSeverity'])}
        />
        <TestOutcome test={test} />
      </DialogForm>
    </Dialog>
  );
}
