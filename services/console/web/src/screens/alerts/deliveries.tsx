import { useState } from 'react';
import type { ReactNode } from 'react';
import type { DeliveryRecord, Role } from '@countersign/contracts';
import {
  removeConfig,
  useAlertConfigs,
  useDeliveries,
  usePutConfig,
  useRetry,
  useTestConfig,
} from '../../api/alerts.js';
import { useShortcuts } from '../../keyboard.js';
import { go } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { alertWords } from '../../words/alerts.js';
import { asWords, number, words } from '../../words/en.js';
import { ConfigState, TestOutcome } from './destinations.js';

const TONES: Readonly<Record<DeliveryRecord['state'], string>> = {
  waiting: 'held',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** `/alerts/destinations/{id}`: a destination, and each message to it with its attempts. */
export function Deliveries({ id, role }: { readonly id: string; readonly role: Role }): ReactNode {
  const configs = useAlertConfigs();
  const config = configs.data?.find((one) => one.id === id);
  const deliveries = useDeliveries(id);
  const test = useTestConfig();
  const put = usePutConfig();
  const retry = useRetry(id);
  const [isRemoving, setRemoving] = useState(false);
  const mayChange = role !== 'auditor';
  const send = (): void => (mayChange && !test.isPending ? test.mutate(id) : undefined);
  useShortcuts({ t: send });
  const { configs: texts, deliveries: log } = alertWords;
  const disabled = { 'aria-disabled': !mayChange, title: mayChange ? undefined : words.needs('member', role) };
  if (config === undefined) {
    return (
      <Page title={texts.log}>
        <p>
          <a href="#/alerts/destinations">{texts.back}</a>
        </p>
        {configs.error === null ? (
          <p role="status">{configs.isPending ? words.loading : texts.gone}</p>
        ) : (
          <Problem what={texts.failed} error={configs.error} retry={() => void configs.refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={<Foreign text={config.destination} most={120} />}
      name={texts.log}
      actions={
        <>
          <button type="button" className="button" {...disabled} onClick={send}>
            {test.isPending ? texts.testing : texts.test}
          </button>
          <button
            type="button"
            className="button"
            {...disabled}
            onClick={() => (mayChange ? put.mutate({ id, enabled: !config.enabled }) : undefined)}
          >
            {config.enabled ? texts.disable : texts.enable}
          </button>
          <button
            type="button"
            className="button"
            {...disabled}
            onClick={() => (mayChange ? setRemoving(true) : undefined)}
          >
            {texts.remove}
          </button>
        </>
      }
    >
      <p>
        <a href="#/alerts/destinations">{texts.back}</a>
      </p>
      {put.error === null ? null : <Problem error={put.error} />}
      {retry.error === null ? null : <Problem error={retry.error} />}
      <TestOutcome test={test} />
      <Card title={texts.destinations}>
        <Facts>
          <Fact name={texts.columns.kind}>{texts.kinds[config.kind]}</Fact>
          <Fact name={texts.columns.severity}>{config.minSeverity}</Fact>
          <Fact name={texts.columns.state}>
            <ConfigState config={config} />
          </Fact>
        </Facts>
      </Card>
      {deliveries.error === null ? null : (
        <Problem what={log.failed} error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
      {deliveries.data?.length === 0 ? (
        <Empty title={log.empty}>
          <p>{log.emptyLead}</p>
        </Empty>
      ) : deliveries.error !== null && deliveries.data === undefined ? null : (
        <Table
          label={log.table}
          rows={deliveries.data}
          keyOf={(delivery) => delivery.id}
          columns={[
            { name: log.columns.time, cell: ({ createdAt }) => <Time iso={createdAt} /> },
            { name: log.columns.type, cell: ({ type }) => <span className="mono">{asWords(type)}</span> },
            { name: log.columns.count, isNumber: true, cell: ({ count }) => number(count) },
            {
              name: log.columns.state,
              cell: ({ state }) => <span className={`badge ${TONES[state]}`}>{state}</span>,
            },
            { name: log.columns.attempts, cell: (delivery) => <Attempts delivery={delivery} /> },
            {
              name: log.columns.actions,
              isUnnamed: true,
              cell: (delivery) => (
                <button
                  type="button"
                  className="button"
                  {...disabled}
                  aria-label={log.retryOf(delivery.createdAt)}
                  onClick={() => (mayChange && !retry.isPending ? retry.mutate(delivery.id) : undefined)}
                >
                  {log.retry}
                </button>
              ),
            },
          ]}
        />
      )}
      {isRemoving ? (
        <Confirm
          title={texts.removeTitle}
          lead={texts.removeLead}
          action={texts.remove}
          isDanger
          run={async () => {
            await removeConfig(id);
            go('#/alerts/destinations');
          }}
          onClose={() => setRemoving(false)}
        />
      ) : null}
    </Page>
  );
}

function Attempts({ delivery }: { readonly delivery: DeliveryRecord }): ReactNode {
  const { attempts, nextAttemptAt } = delivery;
  return (
    <ol className="attempts">
      {attempts.map(({ at, status, error }) => (
        <li key={at}>
          <Time iso={at} /> <Foreign text={alertWords.deliveries.attempt(status, error)} most={200} />
        </li>
      ))}
      {nextAttemptAt === null ? null : (
        <li className="muted">
          {alertWords.deliveries.next}: <Time iso={nextAttemptAt} />
        </li>
      )}
    </ol>
  );
}
