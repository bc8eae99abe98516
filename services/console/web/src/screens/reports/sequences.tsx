import type { ReactNode } from 'react';
import { useAgentNames } from '../../api/agents.js';
import { Foreign } from '../../parts/foreign.js';
import { Table } from '../../parts/table.js';
import type { Outcome } from '../../verify/verifier.js';
import { number } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import { agentName } from '../events/event-words.js';

type Agent = Outcome['completeness'][number];

/** Per agent of a verified package: its first and last number, and whether one between them is missing. */
export function Sequences({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const names = useAgentNames();
  const { report: texts } = reportWords;
  if (outcome.completeness.length === 0) return null;
  const shown = (value: number | null): string => (value === null ? '–' : number(value));
  return (
    <Table<Agent>
      label={texts.completeness}
      rows={outcome.completeness}
      keyOf={({ agentId }) => agentId}
      columns={[
        { name: texts.agent, cell: ({ agentId }) => <Foreign text={agentName(agentId, names)} most={80} /> },
        { name: texts.first, isNumber: true, cell: ({ firstSequence }) => shown(firstSequence) },
        { name: texts.last, isNumber: true, cell: ({ lastSequence }) => shown(lastSequence) },
        { name: texts.events, isNumber: true, cell: ({ count }) => number(count) },
        {
          name: texts.missing,
          isNumber: true,
          cell: ({ missing }) =>
            missing.length === 0 ? texts.none : <span className="badge bad">{number(missing.length)}</span>,
        },
      ]}
    />
  );
}
