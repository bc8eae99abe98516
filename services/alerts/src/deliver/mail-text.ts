/** The members of a message's body that a mail shows. */
export interface MessageContent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, string | number | null>>;
}

const LABELS: Readonly<Record<string, string>> = {
  agentId: 'Agent',
  severity: 'Severity',
  violation_type: 'Violation',
  reason: 'Reason',
  count: 'Count',
  eventId: 'Event',
  approvalId: 'Approval',
  rule: 'Rule',
  expiresAt: 'Decide by',
  url: 'Decide at',
  id: 'Destination',
  kind: 'Kind',
};

/** Subject and plain text of the mail for a message. */
export function mailText({ type, timestamp, data }: MessageContent): {
  readonly subject: string;
  readonly text: string;
} {
  const lines = Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${(LABELS[name] ?? name).padEnd(12)}${oneLine(String(value))}`);
  return {
    subject: oneLine(subjectOf(type, data)),
    text: [...lines, `${'Time'.padEnd(12)}${timestamp}`, ''].join('\n'),
  };
}

function subjectOf(type: string, data: MessageContent['data']): string {
  if (type === 'destination.disabled') return 'Countersign: a destination of alerts was disabled';
  if (type === 'agent.registered_by_key') return `Countersign ${data['severity']}: an API key registered an agent`;
  if (type === 'approval.requested') {
    const more = data['count'] === 1 ? '' : ` (${data['count']} actions)`;
    return `Countersign: an agent waits for a decision, rule ${data['rule']}${more}`;
  }
  if (type !== 'violation.blocked') return 'Countersign: test message';
  const what = String(data['violation_type'] ?? 'agent frozen').replaceAll('_', ' ');
  const times = data['count'] === 1 ? '' : ` (${data['count']} times)`;
  return `Countersign ${data['severity']}: ${what}${times}`;
}

/** Prevents text from outside from starting a line. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ');
}
