import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const denied = {
  eventId: EXAMPLE.event,
  type: 'action.checked',
  agentId: EXAMPLE.agent,
  refersTo: null,
  occurredAt: EXAMPLE.at,
  sequence: 42,
  outcome: 'denied',
  allowed: false,
  reason:
    'The tool in tool_name is off limits (rule off_limits_actions: wire_transfer). Do not retry it; ask whoever manages this agent if it is needed.',
  severity: 'P1',
  violation_type: 'off_limits_action',
  detail: null,
  action: {
    type: 'tool_use',
    url: null,
    tool_name: 'wire_transfer',
    dataScope: null,
    estimatedCost: null,
    metadata: null,
  },
  payloadSha256: null,
  profileVersion: 3,
  anchored: true,
};

/** Events, alerts and reports. */
export const RECORD_NOTES: OperationNotes = {
  listEvents: {
    answers: { 200: { events: [denied], total: 1, limit: 50, offset: 0 } },
    description:
      'Checks and their outcomes, and every change of agents and profiles. The list follows the checks within a second. `anchored` says whether the event’s window is on the chain; `payloadSha256` is a salted commitment, not a hash of the payload. An event with `ahead` was dated by a clock that was ahead: it stays first in the list until that time has come.',
  },
  exportEvents: {
    description:
      'The list without pages, for a SIEM (`format=ocsf`) or a spreadsheet (`format=csv`), unsigned. It is streamed: one that broke off is not whole.',
  },
  eraseEventContent: {
    description:
      'For requests of those whom the content speaks of. The action and the payload go, from the archive and from stored packages; the event itself, its proof and its line in every report stay, and so does what is in other hands.',
  },
  listAlerts: {
    answers: { 200: { alerts: [denied], openCount: 1, acknowledgedAt: null, total: 1, limit: 50, offset: 0 } },
    description: 'What was denied, or refused to a frozen agent, and nobody has acknowledged yet.',
  },
  countOpenAlerts: { description: 'The number alone, for a badge.' },
  acknowledgeAlerts: { description: 'For the whole account: later denials open the inbox again.' },
  listAlertConfigs: {
    description: 'A destination that failed for too long is disabled by the service: `disabledReason` says why.',
  },
  putAlertConfig: {
    body: { kind: 'webhook', destination: 'https://alerts.example.com/countersign', minSeverity: 'P2' },
    description:
      'Webhooks follow Standard Webhooks: the `secret` is shown in this answer alone, and each message is signed with it. They go to public https addresses only. `minSeverity` `P2` means P1 and P2. The first violation of a kind is told at once, more of it within five minutes in one message.',
  },
  deleteAlertConfig: { description: 'Cannot be undone: a new destination has a new secret.' },
  testAlertConfig: { description: 'One try, at once, and what the receiver answered.' },
  listAlertDeliveries: { description: 'Each message with all its tries, and when the next one is due.' },
  exportSigned: {
    body: {
      format: 'json',
      frameworks: ['soc2', 'euaiact'],
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      agentIds: [],
    },
    description:
      'Every event of a range with its proof, the controls that it speaks to, and what it does not show, under an Ed25519 signature that anybody can check: `npx countersign verify`, `/verify`, or `POST /v1/inclusion/verify`. Without `agentIds` it is of all agents. `withhold` leaves out actions or payloads; the proofs hold all the same. For the plans Core, Scale and Enterprise; others get 403.',
  },
  listReports: { description: 'With the hashes by which a file is known again, and the transaction that dates it.' },
  getReport: {
    description: 'Byte for byte what was issued. With `Accept: application/pdf` the PDF, where one was issued.',
  },
  updateReport: {
    body: { public: true },
    description: 'A public report is given to anybody who knows its id: `GET /v1/reports/{id}/public`.',
  },
  getComplianceScope: { description: 'What reports say of the account’s scope, and what its retention goes by.' },
  putComplianceScope: {
    body: { soc2: { categories: ['security'] }, euaiact: { classification: 'not-high-risk' } },
    description:
      'The account’s own declaration; the service does not judge whether it is right. What is left out is undeclared. Content is kept for as long as the longest of what was declared at least 30 days ago asks.',
  },
};
