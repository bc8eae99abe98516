import type { AgentOperator } from '@countersign/service-kit';
import type { AgentChanges } from './agent-changes.js';

/** What whoever operates the instance may ask; no caller of the API reaches it. */
export function agentOperator(changes: AgentChanges): AgentOperator {
  return {
    async createFirst({ agentId, accountId, name }) {
      const caller = { accountId, actor: { kind: 'system', id: 'bootstrap' }, apiKeyId: null } as const;
      await changes.create(agentId.toLowerCase(), caller, { name, type: null, purpose: null, version: null });
    },
  };
}
