import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const FOLLOW_UP = {
  id: '0198a1b2-0000-7000-8000-0000000000f0',
  eventId: EXAMPLE.event,
  at: EXAMPLE.at,
  by: { kind: 'user', id: '0198a1b2-0000-4000-8000-000000000007' },
  note: 'The vendor was new; purchasing has added it.',
};

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
  rule: 'off_limits_actions:wire_transfer',
};

/** The body of a request for a report. */
const REPORT = {
  format: 'json',
  frameworks: ['soc2', 'euaiact'],
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-04-01T00:00:00.000Z',
  agentIds: [],
} as const;

/** Events, alerts and reports. */
export const RECORD_NOTES: OperationNotes = {
  listEvents: {
    answers: { 200: { events: [denied], total: 1, limit: 50, offset: 0 } },
    description:
      'For long lists, send `total=false`, and then `next` of each answer as `before`: such pages neither shift while events arrive nor count. `rule` is compared with `rule` of the events, and takes pages of this kind. Checks and their outcomes, every change of agents and profiles, and with `kind=account` what people did: sign-ins, and changes of users, keys and plans. A check is in the list within a second. `anchored` is true if the event’s window is on the chain; `payloadSha256` is a salted commitment, not a hash of the payload. An event with `ahead` was dated by a clock that is ahead: it stays first in the list until that time has passed.',
  },
  getEvent: {
    description:
      'All that the archive knows about an event. `leaf` is what is hashed; `opened` shows the content that it commits to, as far as it is stored. `dueBy` is the time after which an event that is not anchored yet will be.',
  },
  getEventProof: {
    description:
      'The body that `POST /v1/inclusion/verify` takes, and that `/verify` checks in the browser: the leaf, its path in the tree of its agent, the path of that tree in its window, and the transaction that holds the root.',
  },
  explainEvent: {
    description:
      'Why a check was decided as it was: each rule with its result, under the profile whose hash the leaf has. The answer of a past check stays the same after the profile has changed.',
  },
  getCheckStats: {
    description:
      'For charts: read from counts that are kept by the hour, so the answer takes no longer where there are more events. Steps of 60 and 300 seconds, and `by=rule`, read events one by one, and are 400 for a range with more than 100,000 of them, by rule of violations of the account. `from` is rounded down and `to` up to whole steps; without them it covers the last 24 steps. At most 1,500 steps.',
  },
  search: {
    description:
      'For a search box: each text is looked up exactly or, for names of agents, by their beginning; content is not searched. Reports and API keys are found in their own lists: `GET /v1/reports` has their ids, hashes and transactions, `GET /v1/api-keys` the prefixes.',
  },
  getAgentStats: {
    description: 'For a list of agents. Without `from` and `to` it covers the last 24 hours; at most 168 hours.',
  },
  getAnchoringState: {
    description:
      'An event is due at the end of its window. If `dueBy` of the oldest one that is not anchored is minutes ago, anchoring or the chain is delayed; the events themselves are stored.',
  },
  getCompleteness: {
    description:
      'Events of an agent are numbered without a gap, and each anchored window holds one run of these numbers. What this says about anchored events, a signed package shows to others.',
  },
  exportEvents: {
    description:
      'The list without pages, for a SIEM (`format=ocsf`) or a spreadsheet (`format=csv`), unsigned. It is streamed: an export whose connection is cut is incomplete.',
  },
  streamEvents: {
    description:
      'For screens that follow what happens. A client that reads slowly gets fewer messages, and `skipped` says how many events are not in them; nothing is kept for it. After a lost connection send the last `id` as `Last-Event-ID`: up to 1,000 missed events follow, and `resumed` of `hello` is false where the list has to be read again. At most 4 streams of a session and 20 of an account.',
  },
  eraseEventContent: {
    namedAnswers: {
      409: {
        held: {
          summary: 'a legal hold keeps it',
          value: {
            error:
              'the content is held by "Case 2026-114" (7c1f8a52-3d0e-4b61-9c37-5f0e2a94d610), so it is not erased: release the hold first (POST /v1/legal-holds/{id}/release), or wait until it is released',
          },
        },
      },
    },
    description:
      'For requests of data subjects. What a legal hold keeps is not erased. The action and the payload are removed from the archive and from stored packages; the event itself, its proof and its line in every report remain, as do copies that others hold.',
  },
  listAlerts: {
    answers: { 200: { alerts: [denied], openCount: 1, acknowledgedAt: null, total: 1, limit: 50, offset: 0 } },
    description: 'Denied checks, and checks of frozen agents, that have not been acknowledged yet.',
  },
  countOpenAlerts: { description: 'Only the number, for a badge.' },
  listAlertGroups: {
    description:
      'The inbox as incidents: how often, since when, and the newest event of each. `place` is where the inbox ended when it was read.',
  },
  acknowledgeAlerts: {
    body: { upTo: 'WzEwNDIsMCw4Nzdd', note: 'Known: the vendor was new.' },
    description:
      'For the whole account; later denials reopen the inbox. The event `account.alerts_acknowledged` counts exactly the alerts that are closed: those that arrive meanwhile stay open.',
  },
  followUpAlerts: {
    body: { eventIds: [EXAMPLE.event], note: 'The vendor was new; purchasing has added it.' },
    answers: { 201: { followUps: [FOLLOW_UP] } },
    description:
      'For each check one event `account.alert_followed_up`, whose `refersTo` is the check: reports show that it was followed up, when and by whom, and the note where the trail is opened. Several people may follow up one check, up to 100 times. A repetition records it again.',
  },
  listFollowUps: {
    answers: { 200: { followUps: [FOLLOW_UP], total: 1, limit: 50, offset: 0 } },
    description:
      'Every role reads the notes. Without `eventId` and `eventIds`, all of the account. To show which checks of a list are followed up, send their ids as `eventIds`: `checks` of the answer counts for each.',
  },
  listAlertConfigs: {
    description: 'The service disables a destination that fails for too long: `disabledReason` has the reason.',
  },
  putAlertConfig: {
    body: { kind: 'webhook', destination: 'https://alerts.example.com/countersign', minSeverity: 'P2' },
    description:
      'Webhooks follow Standard Webhooks: the `secret` is only in this answer, and each message is signed with it. They are sent to public https addresses only. `minSeverity` `P2` means P1 and P2. The first violation of a type is sent at once, further ones within five minutes in one message.',
  },
  deleteAlertConfig: { description: 'Cannot be undone: a new destination has a new secret.' },
  testAlertConfig: { description: 'One attempt, at once, with the answer of the receiver.' },
  testNewAlertConfig: {
    body: { kind: 'webhook', destination: 'https://alerts.example.com/countersign' },
    description:
      'As the test of a stored destination, before it is stored: the same rules for hosts, and the same ten a minute. The signature of a webhook is of a secret that is not kept.',
  },
  retryAlertDelivery: {
    description:
      'Due at once; a failure is followed by the delays of a new message. The `webhook-id` stays the same. A message from before the last change of the address is refused: it was meant for another receiver. At most ten a minute, together with test messages.',
  },
  listAlertDeliveries: { description: 'Each message with all its attempts, and the time of the next one.' },
  listStreams: {
    description:
      'How far each stream has come: `lag.events` is 0 when every event was accepted, and `lastError` says why not.',
  },
  createStream: {
    body: {
      kind: 'splunk_hec',
      url: 'https://http-inputs.example.splunkcloud.com/services/collector/event',
      format: 'ocsf',
      filter: { outcome: 'denied' },
      credentials: { token: '12345678-1234-1234-1234-1234567890ab' },
    },
    description:
      'Each event is sent at least once, those of an agent in their order, with the event id as key (`metadata.uid`, `event.id`, `externalId`). A receiver that is down delays its own stream alone. Events of the account itself (`account.*`: sign-ins, users, keys) are sent only with `trail: true`, or if `filter` names them. OCSF events carry a fingerprint, and refer to the event before them in the stream of their agent. `https` sends JSON lines. `syslog` has no acknowledgement: a batch counts as delivered when the receiver closes the connection after all of it was sent, so what it loses afterwards is not sent again. `s3` writes objects of JSON lines under object lock, of the same key when a batch is sent again; nothing of ours deletes them, and an erasure does not reach them. `credentials` are stored encrypted, and never shown.',
  },
  getStream: {
    description: 'Ask again after a change: a batch is tried at once, and after errors in up to five minutes.',
  },
  changeStream: {
    body: { enabled: false },
    description:
      'Members that are not named stay. The place of the stream stays: switched on again, it goes on where it was. With `trail: true` the events of the account from then on are sent.',
  },
  deleteStream: { description: 'Cannot be undone: a new stream begins where it is made, or at its `from`.' },
  testStream: { description: 'An event of the type `stream.test`, with the answer of the receiver.' },
  exportSigned: {
    body: REPORT,
    description:
      'Every event of a range with its proof, its controls, and what it does not show, under an Ed25519 signature that anyone can verify: `npx countersign verify`, `/verify`, or `POST /v1/inclusion/verify`. Without `agentIds` it covers all agents. `withhold` leaves out actions, payloads or contexts; the proofs stay valid. For the plans Core, Scale and Enterprise; others get 403.',
  },
  listReports: { description: 'With the hashes that identify its files, and the transaction that dates it.' },
  getReport: {
    description: 'Byte for byte as issued. With `Accept: application/pdf` the PDF, if one was issued.',
  },
  updateReport: {
    body: { public: true },
    description: 'Anyone who knows the id of a public report can read it: `GET /v1/reports/{id}/public`.',
  },
  issueSeries: {
    body: { reportIds: ['0198a1b2-0000-4000-8000-000000000001', '0198a1b2-0000-4000-8000-000000000002'] },
    description:
      'Lists packages whose ranges are adjacent, and signs that nothing lies between them: `npx countersign verify FOLDER`. `countersign export --quarter 2026Q4` makes packages and series. A package that was issued with `fit` ends where the next one begins.',
  },
  listSeries: { description: 'With the ids of their reports, in the order of their ranges.' },
  getSeries: { description: 'Byte for byte as issued, also where one of its reports was withdrawn since.' },
  createReportJob: {
    body: { title: 'March 2026', ...REPORT },
    description:
      'As `POST /v1/events/export-signed`, answered at once: the job goes on without its caller, and over a restart. With `split` a range that holds more than 50,000 events becomes several reports, which `POST /v1/report-series` joins.',
  },
  listReportJobs: { description: 'With the ids of the reports that each has issued.' },
  getReportJob: {
    description:
      '`waiting` with an `error` is an attempt that failed for a while: the job is tried again, eight times.',
  },
  deleteReportJob: { description: 'A package that is being made is not stored.' },
  shareReport: {
    body: { expiresIn: 604_800, form: 'package', withhold: ['payload'], note: 'for the auditor of the first quarter' },
    namedAnswers: {
      409: {
        opened: {
          summary: 'it opens what is to be withheld',
          value: {
            error:
              'the report opens payloads, and is signed as it is: export its range with "withhold":["payload"], and share that report',
          },
        },
        many: {
          summary: 'too many links',
          value: { error: 'the report has 100 links that are valid, which is the most: revoke one of them' },
        },
      },
    },
    description:
      'For people who have no account. `url` has the token of the link and is shown once: only its hash is stored. What a report shows is signed, so it is chosen when the report is exported; `withhold` refuses a link to one that opens more. Members share no report that opens the content of the trail. A report that is withdrawn is not served any more.',
  },
  listShares: {
    description:
      'Also those that have ended, at most 100 in a page. `fetches` counts every answer with the report, `log` has the newest 100, which are kept for as long as the instance has the record of the report. They are not in the trail of the account.',
  },
  revokeShare: {
    description: 'From the answer on, the link is answered as one that never was. Its fetches stay listed.',
  },
  getCoverage: {
    description:
      'A preview of what a signed package of the same range states, counted from the same events. `state` says how far these events show a control, which is not a verdict over the control: `shown`, `shown_with_gaps` (some have the status `Gap, review required`), `not_shown`, `needs_declaration`, `does_not_apply`. Without `from` and `to` it covers the last seven days; `by=day` takes at most 92. At most 50,000 events.',
  },
  listCoveringEvents: {
    description:
      'Exactly the events behind a number of `GET /v1/coverage`: for a cell of a day give the bounds of the day as `from` and `to`, for one of an agent `agentId`, for the gaps `status`.',
  },
  getComplianceScope: { description: 'The scope that reports state, and that determines the retention of content.' },
  putComplianceScope: {
    body: { soc2: { categories: ['security'] }, euaiact: { classification: 'not-high-risk' } },
    description:
      'The account’s own declaration; the service does not check it. Absent members are undeclared. Content is kept for the longest period that a declaration of at least 30 days ago requires.',
  },
};
