import type { ReactNode } from 'react';
import { useEndSession, useOpenSessions } from '../../api/settings.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { settingsWords } from '../../words/settings.js';

/** The open sessions of the signed-in user. The one in use ends by signing out. */
export function Sessions(): ReactNode {
  const sessions = useOpenSessions();
  const end = useEndSession();
  const { account: texts } = settingsWords;
  return (
    <Card title={texts.sessions}>
      {sessions.error === null ? null : (
        <Problem what={texts.sessionsFailed} error={sessions.error} retry={() => void sessions.refetch()} />
      )}
      {end.error === null ? null : <Problem error={end.error} />}
      {sessions.error !== null && sessions.data === undefined ? null : (
        <Table
          label={texts.sessions}
          rows={sessions.data}
          keyOf={({ id }) => id}
          columns={[
            { name: texts.sessionColumns.opened, cell: ({ openedAt }) => <Time iso={openedAt} /> },
            { name: texts.sessionColumns.ends, cell: ({ expiresAt }) => <Time iso={expiresAt} /> },
            {
              name: texts.sessionColumns.actions,
              isUnnamed: true,
              cell: ({ id, current }) =>
                current ? (
                  <span className="muted">{texts.current}</span>
                ) : (
                  <button type="button" className="button" disabled={end.isPending} onClick={() => end.mutate(id)}>
                    {texts.end}
                  </button>
                ),
            },
          ]}
        />
      )}
    </Card>
  );
}
