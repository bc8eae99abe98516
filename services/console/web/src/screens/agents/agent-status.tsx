import type { ReactNode } from 'react';
import type { AgentRecord } from '@countersign/contracts';

const TONES = { active: 'good', frozen: 'bad', inactive: 'plain' } as const;

/** The state of an agent in a word. */
export function AgentStatus({ of: { status } }: { readonly of: AgentRecord }): ReactNode {
  return <span className={`badge ${TONES[status]}`}>{status}</span>;
}
