export type Retention = { readonly kind: 'time'; readonly days: number } | { readonly kind: 'compacted' };

export interface TopicDefinition {
  readonly name: string;
  readonly key: string;
  readonly retention: Retention;
  /** Partitions in the distributed profile; fixed once created. Embedded topics have one. */
  readonly partitions: number;
  readonly writtenBy: readonly string[];
  readonly readBy: readonly string[];
}

const days30: Retention = { kind: 'time', days: 30 };
const compacted: Retention = { kind: 'compacted' };

export const TOPICS = {
  'agent-events': {
    name: 'agent-events',
    key: 'agent id, lower case',
    retention: days30,
    partitions: 12,
    writtenBy: ['gateway', 'policy', 'audit-log', 'identity', 'reporting', 'alerts'],
    readBy: ['audit-log', 'anchoring', 'alerts', 'policy', 'gateway', 'identity'],
  },
  accounts: {
    name: 'accounts',
    key: 'account id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['identity'],
    readBy: ['gateway', 'policy', 'audit-log', 'anchoring', 'reporting', 'alerts'],
  },
  'api-keys': {
    name: 'api-keys',
    key: 'API key id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['identity'],
    readBy: ['gateway', 'policy', 'audit-log', 'mcp'],
  },
  sessions: {
    name: 'sessions',
    key: 'session id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['identity'],
    readBy: ['identity', 'policy', 'audit-log', 'anchoring', 'reporting', 'alerts'],
  },
  agents: {
    name: 'agents',
    key: 'agent id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['policy'],
    readBy: ['gateway', 'audit-log', 'anchoring', 'reporting', 'verification', 'policy'],
  },
  'signing-keys': {
    name: 'signing-keys',
    key: 'key id',
    retention: compacted,
    partitions: 1,
    writtenBy: ['reporting'],
    readBy: ['verification', 'reporting'],
  },
  usage: {
    name: 'usage',
    key: 'what is counted',
    retention: compacted,
    partitions: 3,
    writtenBy: ['policy'],
    readBy: ['gateway', 'identity'],
  },
  'anchor-requests': {
    name: 'anchor-requests',
    key: 'report id',
    retention: compacted,
    partitions: 1,
    writtenBy: ['reporting'],
    readBy: ['anchoring'],
  },
  anchors: {
    name: 'anchors',
    key: 'cut, window or report',
    retention: compacted,
    partitions: 1,
    writtenBy: ['anchoring'],
    readBy: ['audit-log', 'reporting', 'verification', 'anchoring'],
  },
  'agent-heads': {
    name: 'agent-heads',
    key: 'agent id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['audit-log'],
    readBy: ['verification'],
  },
  reports: {
    name: 'reports',
    key: 'report id',
    retention: compacted,
    partitions: 1,
    writtenBy: ['reporting'],
    readBy: ['verification'],
  },
  'compliance-scopes': {
    name: 'compliance-scopes',
    key: 'account id',
    retention: compacted,
    partitions: 1,
    writtenBy: ['reporting'],
    readBy: ['audit-log'],
  },
  approvals: {
    name: 'approvals',
    key: 'approval id',
    retention: compacted,
    partitions: 3,
    writtenBy: ['policy'],
    readBy: ['gateway', 'policy'],
  },
  'dead-letters': {
    name: 'dead-letters',
    key: 'origin: <topic>/<partition>/<offset>',
    retention: days30,
    partitions: 1,
    writtenBy: ['any consumer'],
    readBy: ['people'],
  },
} as const satisfies Record<string, TopicDefinition>;

export type TopicName = keyof typeof TOPICS;
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];
