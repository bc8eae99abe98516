import type { ReactNode } from 'react';
import type { CoveredControl } from '@countersign/contracts';
import { Card } from '../../parts/page.js';
import { Table } from '../../parts/table.js';
import { coverageWords as texts } from '../../words/coverage.js';
import { asWords } from '../../words/en.js';

/** Of each control how far an event shows it, which kinds of events do, and where its text can be read. */
export function ControlNotes({ controls }: { readonly controls: readonly CoveredControl[] }): ReactNode {
  const { aboutColumns: columns } = texts;
  return (
    <Card title={texts.about}>
      <Table<CoveredControl>
        label={texts.about}
        rows={controls}
        keyOf={({ controlId, relation }) => `${controlId} ${relation}`}
        columns={[
          { name: columns.control, cell: ({ controlId, title }) => `${controlId} ${title}` },
          { name: columns.relation, cell: ({ relation }) => texts.relations[relation] },
          { name: columns.rationale, cell: ({ rationale }) => rationale },
          {
            name: columns.kinds,
            cell: ({ situations }) =>
              situations.map((kind) => (kind === 'any_event' ? texts.anyEvent : asWords(kind))).join(', '),
          },
          {
            name: columns.source,
            cell: ({ edition, sourceUrl }) => (
              <>
                {edition}
                <code className="wrap small source-url">{sourceUrl}</code>
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}
