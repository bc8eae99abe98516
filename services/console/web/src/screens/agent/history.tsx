import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, ProfileVersion, Role } from '@countersign/contracts';
import { useSaveProfile, useVersion, useVersions } from '../../api/profile.js';
import { jsonText } from '../../foreign-text.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { agentWords } from '../../words/agent.js';
import { number, words } from '../../words/en.js';
import { changesOf, fieldsOf } from './draft.js';

/** `/agents/{id}/history`: every version, by whom, what changed, and its proof; one of them beside the version in force. */
export function History({
  agent,
  role,
  shown,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  /** The version that the address names. */
  readonly shown: number | null;
}): ReactNode {
  const versions = useVersions(agent.id);
  const { versions: texts } = agentWords;
  const { columns } = texts;
  return (
    <>
      {versions.error === null ? null : (
        <Problem what={texts.failed} error={versions.error} retry={() => void versions.refetch()} />
      )}
      {versions.error !== null && versions.data === undefined ? null : (
        <Table<ProfileVersion>
          label={texts.table}
          rows={versions.data}
          keyOf={({ eventId }) => eventId}
          columns={[
            { name: columns.version, isNumber: true, cell: ({ version }) => number(version) },
            { name: columns.at, cell: ({ at }) => <Time iso={at} /> },
            { name: columns.by, cell: ({ by }) => <Foreign text={byWords(by)} most={60} /> },
            {
              name: columns.changed,
              cell: ({ changed, version }) =>
                version === 1 ? texts.first : changed === null ? '–' : changed.join(', ') || texts.nothing,
            },
            {
              name: columns.proof,
              cell: ({ anchored, eventId }) => (
                <a href={hrefOf(`/events/${eventId}`)}>
                  {anchored ? words.events.anchored : words.events.pendingShort}
                </a>
              ),
            },
            {
              name: columns.actions,
              isUnnamed: true,
              cell: ({ version }) =>
                version === agent.behavior_profile.version ? (
                  <span className="badge good">{texts.current}</span>
                ) : (
                  <button
                    type="button"
                    className="button"
                    aria-pressed={version === shown}
                    onClick={() => replacePlace(hrefOf(`/agents/${agent.id}/history`, { version: String(version) }))}
                  >
                    {texts.show}
                    <span className="hidden"> {texts.one(version)}</span>
                  </button>
                ),
            },
          ]}
        />
      )}
      {shown === null ? null : <Version key={shown} agent={agent} version={shown} role={role} />}
    </>
  );
}

function byWords(by: unknown): string {
  if (typeof by !== 'object' || by === null) return '–';
  const { kind, id } = by as { readonly kind?: unknown; readonly id?: unknown };
  const who = typeof kind === 'string' ? kind.replace('_', ' ') : '–';
  return typeof id === 'string' ? `${who} ${id.slice(0, 8)}` : who;
}

/** The fields in which a version differs from the one in force, and a button that restores it. */
function Version({
  agent,
  version,
  role,
}: {
  readonly agent: AgentRecord;
  readonly version: number;
  readonly role: Role;
}): ReactNode {
  const found = useVersion(agent.id, version);
  const save = useSaveProfile(agent.id);
  const [isAsking, setAsking] = useState(false);
  const { versions: texts } = agentWords;
  if (found.error !== null) {
    return <Problem what={texts.failed} error={found.error} retry={() => void found.refetch()} />;
  }
  if (found.data === undefined) return <p role="status">{words.loading}</p>;
  const { profile } = found.data;
  if (profile === null) return <p className="note">{texts.erased}</p>;
  const now = fieldsOf(agent.behavior_profile);
  const changes = changesOf(now, fieldsOf(profile));
  const names = Object.keys(changes);
  const mayRestore = role !== 'auditor' && names.length > 0;
  return (
    <Card
      title={texts.one(version)}
      actions={
        <button
          type="button"
          className="button"
          aria-disabled={!mayRestore}
          title={role === 'auditor' ? words.needs('member', role) : undefined}
          onClick={() => (mayRestore ? setAsking(true) : undefined)}
        >
          {texts.restore(version)}
        </button>
      }
    >
      {names.length === 0 ? (
        <p className="muted">{texts.same}</p>
      ) : (
        <Table<string>
          label={texts.differs}
          rows={names}
          keyOf={(name) => name}
          columns={[
            { name: texts.field, cell: (name) => <code>{name}</code> },
            { name: texts.then, cell: (name) => <Value value={changes[name]} /> },
            { name: texts.now, cell: (name) => <Value value={now[name]} /> },
          ]}
        />
      )}
      {isAsking ? (
        <Confirm
          title={texts.restoreTitle(version)}
          lead={texts.restoreLead}
          action={texts.restore(version)}
          run={() => save.mutateAsync({ ...changes, version: agent.behavior_profile.version })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Card>
  );
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  return (
    <pre className="value mono">
      <Foreign text={jsonText(value ?? null)} />
    </pre>
  );
}
