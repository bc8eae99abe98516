import { useState } from 'react';
import type { ReactNode } from 'react';
import type { BrowserSession, LegalHoldRecord } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useLegalHolds } from '../../api/legal-holds.js';
import { Foreign } from '../../parts/foreign.js';
import { More } from '../../parts/more.js';
import { Card, Empty } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { holdWords } from '../../words/legal-holds.js';
import { NewHold, ReleaseHold } from './hold-dialogs.js';

const TONES = { settling: 'bad', in_force: 'held', released: 'plain' } as const;

/** Content that is kept from erasure: what each hold keeps, and who placed and released it, when and why. */
export function LegalHolds({ session }: { readonly session: BrowserSession }): ReactNode {
  const { role } = session.user;
  const pages = useLegalHolds(role !== 'member');
  const [isAdding, setAdding] = useState(false);
  const [released, setReleased] = useState<LegalHoldRecord | null>(null);
  if (role === 'member') return <p className="lead">{holdWords.notForMembers}</p>;
  const holds = pages.data?.pages.flatMap((page) => page.holds);
  const older = (pages.data?.pages.at(-1)?.total ?? 0) - (holds?.length ?? 0);
  const { columns } = holdWords;
  const isAdmin = role === 'admin';
  return (
    <Card
      title={holdWords.title}
      lead={holdWords.lead}
      actions={
        isAdmin ? (
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            {holdWords.add}
          </button>
        ) : undefined
      }
    >
      {pages.error === null ? null : (
        <Problem what={holdWords.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {holds?.length === 0 ? (
        <Empty title={holdWords.empty}>
          <p>{holdWords.emptyLead}</p>
        </Empty>
      ) : pages.error !== null && holds === undefined ? null : (
        <Table
          label={holdWords.title}
          rows={holds}
          keyOf={({ id }) => id}
          columns={[
            { name: columns.name, cell: (hold) => <Named hold={hold} /> },
            { name: columns.keeps, cell: (hold) => <Kept hold={hold} /> },
            { name: columns.state, cell: (hold) => <State hold={hold} /> },
            { name: columns.placed, cell: ({ placedAt, placedBy }) => <Done at={placedAt} by={placedBy} /> },
            {
              name: columns.actions,
              isUnnamed: true,
              cell: (hold) =>
                isAdmin && hold.released === null ? (
                  <button type="button" className="button" onClick={() => setReleased(hold)}>
                    {holdWords.release}
                  </button>
                ) : null,
            },
          ]}
        />
      )}
      {pages.hasNextPage ? (
        <p>
          {holdWords.older(older)} <More pages={pages} />
        </p>
      ) : null}
      {isAdding ? <NewHold onClose={() => setAdding(false)} /> : null}
      {released === null ? null : <ReleaseHold hold={released} onClose={() => setReleased(null)} />}
    </Card>
  );
}

/** Cells are one box each: in a narrow table the name of the column is beside it. */
function Named({ hold: { name, reason } }: { readonly hold: LegalHoldRecord }): ReactNode {
  return (
    <div>
      <Foreign text={name} most={128} />
      <p className="hint">
        <Foreign text={reason} most={300} />
      </p>
    </div>
  );
}

function Kept({ hold: { agents, from, to } }: { readonly hold: LegalHoldRecord }): ReactNode {
  const names = useAgentNames();
  return (
    <div>
      {agents === null
        ? holdWords.everything
        : agents.map((id, n) => (
            <span key={id}>
              {n === 0 ? '' : ', '}
              <Foreign text={names.get(id) ?? id} most={60} />
            </span>
          ))}
      {from === null && to === null ? null : (
        <p className="hint">
          {from === null ? null : (
            <>
              {holdWords.from} <Time iso={from} />{' '}
            </>
          )}
          {to === null ? null : (
            <>
              {holdWords.to} <Time iso={to} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

function State({ hold: { state, released } }: { readonly hold: LegalHoldRecord }): ReactNode {
  return (
    <div>
      <span className={`badge ${TONES[state]}`}>{holdWords.states[state]}</span>
      {state === 'settling' ? <p className="hint">{holdWords.settlingHint}</p> : null}
      {released === null ? null : (
        <>
          <Done at={released.at} by={released.by} />
          <p className="hint">
            <Foreign text={released.reason} most={300} />
          </p>
        </>
      )}
    </div>
  );
}

function Done({ at, by }: { readonly at: string; readonly by: LegalHoldRecord['placedBy'] }): ReactNode {
  return (
    <div>
      <Time iso={at} />
      <p className="hint">
        {holdWords.by} <Foreign text={by.email} most={254} />
      </p>
    </div>
  );
}
