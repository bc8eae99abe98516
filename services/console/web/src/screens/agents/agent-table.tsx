import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Time, zoneName } from '../../parts/time.js';
import { usePreferences } from '../../preferences.js';
import { words } from '../../words/en.js';
import { FreezeButton } from './freeze-dialog.js';
import { ruleCount } from './rule-count.js';

const TONES = { active: 'good', frozen: 'bad', inactive: 'plain' } as const;

export function AgentTable({
  agents,
  isLoading,
  role,
  onAsk,
}: {
  readonly agents: readonly AgentRecord[];
  readonly isLoading: boolean;
  readonly role: Role;
  /** Freeze, or unfreeze, was chosen. */
  readonly onAsk: (agent: AgentRecord) => void;
}): ReactNode {
  const { localTimes } = usePreferences();
  const { columns, table } = words.agents;
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={table}>
      <table className="table" aria-busy={isLoading}>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col">{columns.mode}</th>
            <th scope="col">{columns.rules}</th>
            <th scope="col">
              {columns.updated} ({zoneName(localTimes)})
            </th>
            <th scope="col">
              <span className="hidden">{columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {isLoading
            ? Array.from({ length: 6 }, (_, n) => (
                <tr key={n} aria-hidden="true">
                  <td colSpan={6}>
                    <div className="skeleton-row" />
                  </td>
                </tr>
              ))
            : agents.map((agent) => <Row key={agent.id} agent={agent} role={role} onAsk={onAsk} />)}
        </tbody>
      </table>
    </div>
  );
}

function Row({
  agent,
  role,
  onAsk,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  readonly onAsk: (agent: AgentRecord) => void;
}): ReactNode {
  const { id, name, status, type, behavior_profile: profile, updated_at: updatedAt } = agent;
  const rules = ruleCount(profile);
  return (
    <tr>
      <th scope="row" className="agent-name">
        <a href={hrefOf(`/agents/${id}`)}>
          <Foreign text={name} most={120} />
        </a>
        {type === null ? null : (
          <span className="muted small">
            <Foreign text={type} most={60} />
          </span>
        )}
      </th>
      <td>
        <span className={`badge ${TONES[status]}`}>{status}</span>
      </td>
      <td>{profile.mode}</td>
      <td>{rules === 0 ? <span className="note">{words.agents.noRules}</span> : words.agents.rules(rules)}</td>
      <td className="cell-time">
        <Time iso={updatedAt} />
      </td>
      <td className="row-actions">
        <a href={hrefOf('/events', { agent: id })}>{words.agents.events}</a>
        <FreezeButton agent={agent} role={role} onAsk={() => onAsk(agent)} />
      </td>
    </tr>
  );
}
