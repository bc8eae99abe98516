import type { ReactNode } from 'react';
import type { AgentCompleteness, AnchoredWindowRecord } from '@countersign/contracts';
import { useAgentCompleteness, useWindows, WINDOWS } from '../../api/agent-proofs.js';
import { hrefOf } from '../../location.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Card } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { number, words } from '../../words/en.js';
import { healthWords } from '../../words/health.js';
import { proofWords as texts } from '../../words/proofs.js';
import { CompletenessState } from '../health/completeness.js';
import { Strip } from '../health/strip.js';

/** `/agents/{id}/proofs?before`: whether the numbers of its events are without a gap, and the windows that anchor them. */
export function Proofs({ agentId, before }: { readonly agentId: string; readonly before: number | null }): ReactNode {
  const completeness = useAgentCompleteness(agentId);
  return (
    <>
      <Card title={healthWords.complete} lead={healthWords.completeLead}>
        {completeness.error === null ? null : (
          <Problem
            what={healthWords.completeFailed}
            error={completeness.error}
            retry={() => void completeness.refetch()}
          />
        )}
        {completeness.data === undefined ? (
          completeness.error === null ? (
            <p className="late">{words.loading}</p>
          ) : null
        ) : completeness.data === null || completeness.data.last === 0 ? (
          <p className="muted">{texts.none}</p>
        ) : (
          <Numbers of={completeness.data} />
        )}
      </Card>
      <Windows agentId={agentId} before={before} />
    </>
  );
}

function Numbers({ of }: { readonly of: AgentCompleteness }): ReactNode {
  const { first, last, stored, anchoredThrough, windows } = of;
  return (
    <>
      <div className="wide-strip">
        <Strip of={of} />
        <p className="chart-ends muted small" aria-hidden="true">
          <span>{number(first)}</span>
          <span>{number(last)}</span>
        </p>
      </div>
      <Facts>
        <Fact name={healthWords.columns.state}>
          <CompletenessState of={of} />
        </Fact>
        <Fact name={texts.stored}>{texts.storedOf(stored, last - first + 1, first, last)}</Fact>
        <Fact name={healthWords.columns.anchored}>{number(anchoredThrough)}</Fact>
        <Fact name={texts.waiting}>{number(Math.max(0, last - Math.max(first - 1, anchoredThrough)))}</Fact>
        <Fact name={healthWords.columns.windows}>{number(windows)}</Fact>
      </Facts>
      {first > 1 ? <p className="hint">{texts.newestOnly}</p> : null}
    </>
  );
}

interface ListedWindow extends AnchoredWindowRecord {
  /** Numbers between the window before and this one. */
  readonly gap: { readonly first: number; readonly last: number } | null;
}

/** @param windows of a page and, unless there are no more, the one after it */
function listed(windows: readonly AnchoredWindowRecord[]): readonly ListedWindow[] {
  return windows.slice(0, WINDOWS).map((window, n) => {
    const first = (windows[n + 1]?.lastSequence ?? 0) + 1;
    return { ...window, gap: first < window.firstSequence ? { first, last: window.firstSequence - 1 } : null };
  });
}

/** One page of windows: an account may have 86,400 a day. */
function Windows({ agentId, before }: { readonly agentId: string; readonly before: number | null }): ReactNode {
  const windows = useWindows(agentId, before);
  const { columns } = texts;
  const rows = windows.data === undefined ? undefined : listed(windows.data);
  const hasOlder = (windows.data?.length ?? 0) > WINDOWS;
  const place = `/agents/${agentId}/proofs`;
  return (
    <Card title={texts.windows} lead={texts.windowsLead}>
      {windows.error === null ? null : (
        <Problem what={texts.failed} error={windows.error} retry={() => void windows.refetch()} />
      )}
      {rows?.length === 0 ? <p className="muted">{before === null ? texts.noWindows : texts.noOlder}</p> : null}
      {rows?.length === 0 || (rows === undefined && windows.error !== null) ? null : (
        <Table<ListedWindow>
          label={texts.windows}
          rows={rows}
          keyOf={({ firstSequence }) => String(firstSequence)}
          columns={[
            {
              name: columns.ended,
              cell: ({ window_end: end }) => <Time iso={end} />,
            },
            {
              name: columns.numbers,
              isNumber: true,
              cell: ({ firstSequence, lastSequence, gap }) => (
                <>
                  {number(firstSequence)} – {number(lastSequence)}
                  {gap === null ? null : (
                    <>
                      {' '}
                      <span className="badge bad">{healthWords.gap(gap)}</span>
                    </>
                  )}
                </>
              ),
            },
            { name: columns.root, cell: ({ merkle_root: root }) => <Hash text={root} label={texts.copyRoot} /> },
            {
              name: columns.transaction,
              cell: ({ chain_tx_signature: signature }) => <Hash text={signature} label={texts.copyTransaction} />,
            },
            { name: columns.height, isNumber: true, cell: ({ chain_block_height: height }) => number(height) },
            { name: columns.anchored, cell: ({ anchored_at: at }) => <Time iso={at} /> },
          ]}
        />
      )}
      <p className="links">
        {before === null ? null : <a href={hrefOf(place)}>{texts.newest}</a>}
        {hasOlder && rows !== undefined ? (
          <a href={hrefOf(place, { before: String(rows.at(-1)!.firstSequence) })}>{texts.older}</a>
        ) : null}
      </p>
    </Card>
  );
}

/** The beginning of a long value, and a button that copies it whole. */
function Hash({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <span className="unbroken">
      <code title={text}>{text.slice(0, 12)}…</code> <Copy text={text} label={label} />
    </span>
  );
}
