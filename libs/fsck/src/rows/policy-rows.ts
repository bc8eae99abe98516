import { createHash } from 'node:crypto';
import { LAYOUT } from '../layout.js';
import type { Store } from '../open-stores.js';
import type { Check } from '../report.js';
import { hasColumn } from './positions.js';
import { askRows, notAsTold, notJson, type Question } from './questions.js';

interface AgentRow {
  readonly id: string;
  readonly revision: number;
  readonly frozenAtMs: number;
  readonly facts: string;
  readonly checksum: Buffer;
}

const POLICY_ROWS: readonly Question[] = [
  notJson('agents', 'id', 'facts'),
  ['seen_events', 'SELECT partition, hex(id) FROM seen_events WHERE partition <> 0', 'the topic has no such partition'],
  ...notAsTold('agents', 'id', 'facts', { account_id: '$.accountId' }),
  notJson('account_totals', 'account_id', 'totals'),
  notJson('agent_totals', 'agent_id', 'totals'),
  notJson('claims', 'key', 'claim'),
  ...notAsTold('account_totals', 'account_id', 'totals', { account_id: '$.accountId' }),
  ...notAsTold('agent_totals', 'agent_id', 'totals', { agent_id: '$.agentId' }),
  ['account_totals', 'SELECT account_id FROM account_totals WHERE published > revision', 'more was told than there is'],
  ['agent_totals', 'SELECT agent_id FROM agent_totals WHERE published > revision', 'more was told than there is'],
  [
    'claims',
    `SELECT key FROM claims WHERE json_valid(claim) AND
       (key IS NOT 'claim:' || (claim ->> '$.accountId') || ':' || (claim ->> '$.keySha256')
         OR occurred_at_ms IS NOT claim ->> '$.occurredAtMs')`,
    'its columns are not what its claim says',
  ],
  [
    'claims',
    'SELECT key FROM claims WHERE version <> occurred_at_ms * 2 + (claim IS NULL) OR published > version',
    'its version is not the one of its time',
  ],
];

/** The column that keeps a transaction from registering two agents. */
const REGISTERED = notAsTold('agents', 'id', 'facts', { transaction_signature: '$.chain_tx_signature' });

/** What policy's own rows say of each other, and each agent's check sum. */
export function askPolicyRows(store: Store, check: Check): void {
  askRows(LAYOUT.policy, store, POLICY_ROWS, check);
  if (hasColumn(store, 'agents', 'transaction_signature')) askRows(LAYOUT.policy, store, REGISTERED, check);
  const agents = store.prepare<[], AgentRow>(
    'SELECT id, revision, frozen_at_ms AS frozenAtMs, facts, checksum FROM agents',
  );
  for (const { id, revision, frozenAtMs, facts, checksum } of agents.iterate()) {
    check.examined += 1;
    const sum = createHash('sha256').update(`${id}\n${revision}\n${frozenAtMs}\n${facts}`).digest();
    if (!sum.equals(checksum)) check.wrong(`${LAYOUT.policy} agents ${id}`, 'it is not as it was written');
  }
}
