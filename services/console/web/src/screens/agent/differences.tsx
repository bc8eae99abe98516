import type { ReactNode } from 'react';
import { jsonText } from '../../foreign-text.js';
import { Foreign } from '../../parts/foreign.js';
import { Table } from '../../parts/table.js';
import { agentWords } from '../../words/agent.js';

/** A field, and its values in the order of the columns. */
export interface Difference {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Shown with the name. */
  readonly note?: ReactNode;
}

/** Fields whose values differ, side by side. */
export function Differences({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Difference[];
}): ReactNode {
  return (
    <Table<Difference>
      label={label}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        {
          name: agentWords.versions.field,
          cell: ({ name, note }) => (
            <>
              <code>
                <Foreign text={name} most={80} />
              </code>
              {note}
            </>
          ),
        },
        ...columns.map((name, n) => ({
          name,
          cell: ({ values }: Difference) => (
            <pre className="value mono">
              <Foreign text={jsonText(values[n] ?? null)} />
            </pre>
          ),
        })),
      ]}
    />
  );
}
