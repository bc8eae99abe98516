import type { AgentOperator } from '@countersign/service-kit';
import type { AgentChanges } from './agent-changes.js';

/** Operations for the process that runs the instance; no route reaches them. */
export function agentOperator(changes: AgentChanges): AgentOperator {
  return {
    async createFirst({ agentId, accountId, name }) {
      const caller = { accountId, actor: { kind: 'system', id: 'bootstrap' }, apiKeyId: null } as const;
      await changes.create(agentId.toLowerCase(), caller, { name, type: null, purpose: null, version: null });
    },
  };
}
