import type { ReactNode } from 'react';
import { useSigningKeys } from '../../api/settings.js';
import { Card, Empty } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { settingsWords } from '../../words/settings.js';

const TONES = { active: 'good', published: 'plain', retired: 'plain', revoked: 'bad' } as const;

/** Which keys sign reports and who anchors. Keys are rotated by a command alone, so there is no button. */
export function SigningKeys(): ReactNode {
  const found = useSigningKeys();
  const { signing: texts } = settingsWords;
  const time = (iso: string | null): ReactNode => (iso === null ? '–' : <Time iso={iso} />);
  return (
    <>
      {found.error === null ? null : (
        <Problem what={texts.failed} error={found.error} retry={() => void found.refetch()} />
      )}
      <Card title={texts.title} lead={texts.lead}>
        <p>
          <code>{texts.command}</code> <Copy text={texts.command} />
        </p>
        {found.data?.keys.length === 0 ? (
          <Empty title={texts.empty}>
            <p>{texts.emptyLead}</p>
          </Empty>
        ) : (
          <Table
            label={texts.table}
            rows={found.data?.keys}
            keyOf={({ id }) => id}
            columns={[
              { name: texts.columns.id, cell: ({ id }) => <code>{id}</code> },
              {
                name: texts.columns.status,
                cell: ({ status }) => <span className={`badge ${TONES[status]}`}>{status}</span>,
              },
              { name: texts.columns.from, cell: ({ validFrom }) => time(validFrom) },
              { name: texts.columns.to, cell: ({ validTo }) => time(validTo) },
            ]}
          />
        )}
      </Card>
      {found.data === undefined || found.data.anchorAuthorities.length === 0 ? null : (
        <Card title={texts.authorities} lead={texts.authorityLead}>
          <Table
            label={texts.authorities}
            rows={found.data.anchorAuthorities}
            keyOf={({ address, network }) => `${network} ${address}`}
            columns={[
              { name: texts.authorityColumns.address, cell: ({ address }) => <code>{address}</code> },
              { name: texts.authorityColumns.network, cell: ({ network }) => network },
            ]}
          />
        </Card>
      )}
    </>
  );
}
