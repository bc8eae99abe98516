import type { ReactNode } from 'react';
import type { AgentRecord, ProfileVersion, Role } from '@countersign/contracts';
import { useVersions } from '../../api/profile.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Choice } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { agentWords } from '../../words/agent.js';
import { number, words } from '../../words/en.js';
import { Compare } from './compare.js';

/** `/agents/{id}/history`: every version, by whom, what changed, and its proof; two of them side by side. */
export function History({
  agent,
  role,
  query,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  /** `version` and `with`: the two that are compared; without `with` the second is the one in force. */
  readonly query: URLSearchParams;
}): ReactNode {
  const versions = useVersions(agent.id);
  const inForce = agent.behavior_profile.version;
  const numbers = [...new Set([inForce, ...(versions.data ?? []).map(({ version }) => version)])];
  const named = (name: string): number | null => numbers.find((one) => String(one) === query.get(name)) ?? null;
  const [shown, other] = [named('version'), named('with') ?? inForce];
  const show = (version: number, against: number): void =>
    replacePlace(
      hrefOf(`/agents/${agent.id}/history`, {
        version: String(version),
        with: against === inForce ? null : String(against),
      }),
    );
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
                version === inForce ? (
                  <span className="badge good">{texts.current}</span>
                ) : (
                  <button
                    type="button"
                    className="button"
                    aria-pressed={version === shown}
                    onClick={() => show(version, other)}
                  >
                    {texts.show}
                    <span className="hidden"> {texts.one(version)}</span>
                  </button>
                ),
            },
          ]}
        />
      )}
      {shown === null || versions.data === undefined ? null : (
        <>
          <Pickers versions={numbers} shown={shown} other={other} onChange={show} />
          <Compare
            key={`${shown} ${other}`}
            agent={agent}
            role={role}
            versions={versions.data}
            version={shown}
            other={other}
          />
        </>
      )}
    </>
  );
}

function byWords(by: unknown): string {
  if (typeof by !== 'object' || by === null) return '–';
  const { kind, id } = by as { readonly kind?: unknown; readonly id?: unknown };
  const who = typeof kind === 'string' ? kind.replace('_', ' ') : '–';
  return typeof id === 'string' ? `${who} ${id.slice(0, 8)}` : who;
}

/** The two versions that are compared, by their numbers. */
function Pickers({
  versions,
  shown,
  other,
  onChange,
}: {
  /** Numbers, newest first. */
  readonly versions: readonly number[];
  readonly shown: number;
  readonly other: number;
  readonly onChange: (shown: number, other: number) => void;
}): ReactNode {
  const { versions: texts } = agentWords;
  const options = versions.map((version) => [String(version), texts.one(version)] as const);
  return (
    <div className="pickers">
      <Choice
        label={texts.picked}
        value={String(shown)}
        options={options}
        onChange={(value) => onChange(Number(value), other)}
      />
      <Choice
        label={texts.comparedWith}
        value={String(other)}
        options={options}
        onChange={(value) => onChange(shown, Number(value))}
      />
    </div>
  );
}
