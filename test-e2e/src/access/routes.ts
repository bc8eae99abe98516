import { randomBytes, randomUUID } from 'node:crypto';
import type { Bootstrap } from '../instance/first-account.js';
import { EXPORT, HELD, trustedIssuer } from './belongings.js';
import type { Ids } from './belongings.js';
import { WHO } from './people.js';
import type { Who } from './people.js';

export type Statuses = Readonly<Record<Who, number>>;

export interface Asked {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** A route's status for each caller that sends the same well-formed request about the first account's things. */
export interface Access {
  readonly statuses: Statuses;
  readonly ask?: (ids: Ids, bootstrap: Bootstrap, who: Who) => Asked;
  /** It ends the calling session. */
  readonly endsSession?: true;
}

const all = (status: number): Statuses => Object.fromEntries(WHO.map((who) => [who, status])) as Statuses;

const open = (status: number): Statuses => all(status);

const byApiKey = (status: number, toOthers: number): Statuses => ({
  ...all(401),
  'the API key': status,
  'an API key of another account': toOthers,
});

/** @param toOthers status for another account */
const bySession = (lowest: 'auditor' | 'member' | 'admin', status: number, toOthers = status): Statuses => ({
  ...all(401),
  'another account’s admin': toOthers,
  'the auditor': lowest === 'auditor' ? status : 403,
  'the member': lowest === 'admin' ? 403 : status,
  'the admin': status,
});

const PASSWORD = 'a password that is long enough';
const UNKNOWN_APPROVAL: Asked = { path: { approvalId: 'apr_00000000-0000-4000-8000-000000000000' } };
const newAddress = (): string => `new-${randomUUID()}@example.com`;
const agent = ({ agent: id }: Ids): Asked => ({ path: { id } });
const check = ({ agent: agentId }: Ids): Asked => ({ body: { agentId, action: { type: 'a' } } });
const evaluation = ({ agent: id }: Ids): object => ({
  subject: { type: 'agent', id },
  action: { name: 'a' },
  resource: { type: 'data', id: 'orders' },
});

const hook = (body: object): Access => ({
  statuses: open(200),
  ask: ({ agent: id }) => ({ query: `agent=${id}`, body }),
});

/** Every operation of the served OpenAPI document. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /': { statuses: open(200) },
  'GET /healthz': { statuses: open(200) },
  'GET /readyz': { statuses: open(200) },
  'GET /metrics': { statuses: open(200) },
  'GET /v1/openapi.json': { statuses: open(200) },
  'GET /docs': { statuses: open(200) },
  'GET /docs/{file}': { statuses: open(200), ask: () => ({ path: { file: 'page.js' } }) },
  'GET /.well-known/authzen-configuration': { statuses: open(200) },
  'GET /v1/operations': { statuses: bySession('admin', 200) },
  'GET /console': { statuses: open(200) },
  'GET /console/{file}': { statuses: open(200), ask: () => ({ path: { file: 'icon.svg' } }) },

  'POST /v1/check': { statuses: byApiKey(200, 404), ask: check },
  'POST /v1/mcp/check': { statuses: byApiKey(200, 404), ask: check },
  'POST /access/v1/evaluation': { statuses: byApiKey(200, 404), ask: (ids) => ({ body: evaluation(ids) }) },
  // A batch has a result for each of its evaluations.
  'POST /access/v1/evaluations': {
    statuses: byApiKey(200, 200),
    ask: (ids) => ({ body: { evaluations: [evaluation(ids)] } }),
  },
  // The tools take any other status for a permission: a refusal is a denial in their form.
  'POST /v1/hooks/claude-code': hook({ hook_event_name: 'PreToolUse', tool_name: 'a', tool_input: {} }),
  'POST /v1/hooks/codex': hook({ hook_event_name: 'PreToolUse', tool_name: 'a', tool_input: {} }),
  'POST /v1/hooks/cursor': hook({ hook_event_name: 'preToolUse', tool_name: 'a', tool_input: {} }),
  'POST /v1/hooks/gemini': hook({ hook_event_name: 'BeforeTool', tool_name: 'a', tool_input: {} }),
  'POST /v1/hooks/copilot': hook({ toolName: 'a', toolArgs: {} }),
  'POST /beta/litellm_basic_guardrail_api': {
    statuses: open(200),
    ask: ({ agent: id }) => ({
      body: { input_type: 'response', texts: ['a'], request_data: { user_api_key_alias: id } },
    }),
  },
  // A scan records nothing, and a check has one outcome.
  'POST /v1/mcp/scan': {
    statuses: byApiKey(200, 404),
    ask: ({ agent: agentId }) => ({ body: { agentId, text: 'a' } }),
  },
  'POST /v1/mcp/tools': {
    statuses: byApiKey(200, 404),
    ask: ({ agent: agentId }) => ({ body: { agentId, tools: ['a'] } }),
  },
  'POST /v1/mcp/log': {
    statuses: byApiKey(201, 404),
    ask: ({ agent: agentId, event: eventId }) => ({ body: { agentId, eventId, outcome: 'succeeded' } }),
  },
  'POST /mcp': {
    statuses: byApiKey(200, 200),
    ask: () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
  },
  'GET /v1/mcp/agents/{id}': { statuses: byApiKey(200, 404), ask: agent },
  'GET /v1/mcp/agents/{id}/profile': { statuses: byApiKey(200, 404), ask: agent },
  'PUT /v1/mcp/agents/{id}/profile': {
    statuses: byApiKey(200, 404),
    ask: (ids) => ({ ...agent(ids), body: { spending_limit: 7 } }),
  },
  'POST /v1/mcp/register': { statuses: byApiKey(201, 201), ask: () => ({ body: { name: 'registered' } }) },

  'POST /v1/auth/login': {
    statuses: open(200),
    ask: (_ids, { email, password }) => ({ body: { email, password } }),
  },
  'POST /v1/auth/register': {
    statuses: open(201),
    ask: () => ({ body: { email: newAddress(), password: PASSWORD, accountName: 'One more' } }),
  },
  'POST /v1/auth/register/confirm': { statuses: open(400), ask: () => ({ body: { token: 'none' } }) },
  // A changed password would end the sessions of the other callers.
  'POST /v1/auth/password': {
    statuses: bySession('auditor', 403),
    ask: () => ({ body: { currentPassword: 'not this one', newPassword: PASSWORD } }),
  },
  'POST /v1/auth/password/by-link': {
    statuses: open(400),
    ask: () => ({ body: { token: randomBytes(48).toString('base64url'), newPassword: PASSWORD } }),
  },
  // There is no mail server.
  'POST /v1/auth/password/forgotten': { statuses: open(404), ask: () => ({ body: { email: newAddress() } }) },
  'POST /v1/auth/second-factor': { statuses: open(401), ask: () => ({ body: { token: 'none', code: '000000' } }) },
  'POST /v1/auth/second-factor/enrolment': { statuses: open(401), ask: () => ({ body: { token: 'none' } }) },
  'GET /v1/second-factor': { statuses: bySession('auditor', 200) },
  // An enrolled one would be asked for at the next sign-in.
  'POST /v1/second-factor/enrolment': {
    statuses: bySession('auditor', 403),
    ask: () => ({ body: { password: 'not this one' } }),
  },
  'POST /v1/second-factor': {
    statuses: bySession('auditor', 403),
    ask: () => ({ body: { enrolment: 'none', code: '000000' } }),
  },
  'POST /v1/second-factor/recovery-codes': {
    statuses: bySession('auditor', 409),
    ask: () => ({ body: { code: '000000' } }),
  },
  'POST /v1/second-factor/removal': {
    statuses: bySession('auditor', 409),
    ask: () => ({ body: { code: '000000' } }),
  },
  'PUT /v1/second-factor/requirement': {
    statuses: bySession('admin', 200),
    ask: () => ({ body: { required: false } }),
  },
  'DELETE /v1/users/{id}/second-factor': {
    statuses: bySession('admin', 204, 404),
    ask: ({ user: id }) => ({ path: { id } }),
  },
  'GET /v1/auth/methods': { statuses: open(200) },
  // No provider is set up.
  'GET /v1/auth/oidc/start': { statuses: open(404) },
  'GET /v1/auth/oidc/callback': { statuses: open(404) },
  'POST /v1/auth/logout': { statuses: bySession('auditor', 204), endsSession: true },
  // None of these callers is a page of the service.
  'POST /v1/session': {
    statuses: open(403),
    ask: (_ids, { email, password }) => ({ body: { email, password } }),
  },
  'GET /v1/session': { statuses: bySession('auditor', 200) },
  'DELETE /v1/session': { statuses: bySession('auditor', 204), endsSession: true },
  'GET /v1/account': { statuses: bySession('auditor', 200) },
  'GET /v1/account/default-profile': { statuses: bySession('auditor', 200) },
  'PUT /v1/account/default-profile': {
    statuses: bySession('admin', 200),
    ask: () => ({ body: { spending_limit: 7 } }),
  },
  'GET /v1/users': { statuses: bySession('admin', 200) },
  'POST /v1/users': {
    statuses: bySession('admin', 201),
    ask: () => ({ body: { email: newAddress(), role: 'auditor', password: PASSWORD } }),
  },
  'PATCH /v1/users/{id}': {
    statuses: bySession('admin', 200, 404),
    ask: ({ user: id }) => ({ path: { id }, body: { role: 'auditor' } }),
  },
  'POST /v1/users/{id}/password-link': {
    statuses: bySession('admin', 201, 404),
    ask: ({ user: id }) => ({ path: { id } }),
  },
  'DELETE /v1/users/{id}': { statuses: bySession('admin', 204, 404), ask: ({ user: id }) => ({ path: { id } }) },
  'POST /v1/invitations': {
    statuses: bySession('admin', 201),
    ask: () => ({ body: { email: newAddress(), role: 'auditor' } }),
  },
  'GET /v1/sessions': { statuses: bySession('auditor', 200) },
  'DELETE /v1/sessions/{id}': {
    statuses: bySession('auditor', 404),
    ask: () => ({ path: { id: randomUUID() } }),
  },
  'GET /v1/api-keys': { statuses: bySession('admin', 200) },
  'POST /v1/api-keys': { statuses: bySession('admin', 201), ask: () => ({ body: { name: 'one more' } }) },
  'DELETE /v1/api-keys/{id}': { statuses: bySession('admin', 204, 404), ask: ({ apiKey: id }) => ({ path: { id } }) },

  'GET /v1/trusted-issuers': { statuses: bySession('auditor', 200) },
  'POST /v1/trusted-issuers': {
    statuses: bySession('admin', 201),
    ask: () => ({ body: trustedIssuer(`https://${randomUUID()}.example.com`) }),
  },
  'DELETE /v1/trusted-issuers/{id}': {
    statuses: bySession('admin', 204, 404),
    ask: ({ trustedIssuer: id }) => ({ path: { id } }),
  },

  'GET /v1/agents': { statuses: bySession('auditor', 200) },
  'POST /v1/agents': { statuses: bySession('member', 201), ask: () => ({ body: { name: 'one more' } }) },
  'GET /v1/agents/{id}': { statuses: bySession('auditor', 200, 404), ask: agent },
  'PATCH /v1/agents/{id}': {
    statuses: bySession('member', 200, 404),
    ask: (ids) => ({ ...agent(ids), body: { purpose: 'another' } }),
  },
  'POST /v1/agents/{id}/freeze': { statuses: bySession('member', 200, 404), ask: agent },
  'POST /v1/agents/{id}/unfreeze': { statuses: bySession('member', 200, 404), ask: agent },
  'POST /v1/agents/{id}/deactivate': {
    statuses: bySession('member', 200, 404),
    ask: ({ oldAgent: id }) => ({ path: { id } }),
  },
  'GET /v1/agents/{id}/signing-keys': { statuses: bySession('auditor', 200, 404), ask: agent },
  'POST /v1/agents/{id}/signing-keys': {
    statuses: bySession('member', 201, 404),
    ask: (ids) => ({ ...agent(ids), body: { publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } }),
  },
  // No agent has the key.
  'DELETE /v1/agents/{id}/signing-keys/{keyId}': {
    statuses: bySession('member', 404),
    ask: ({ agent: id }) => ({ path: { id, keyId: 'A'.repeat(43) } }),
  },
  'PUT /v1/agents/{id}/signature-requirement': {
    statuses: bySession('member', 200, 404),
    ask: (ids) => ({ ...agent(ids), body: { required: false } }),
  },
  'GET /v1/agents/{id}/profile': { statuses: bySession('auditor', 200, 404), ask: agent },
  'PATCH /v1/agents/{id}/profile': {
    statuses: bySession('member', 200, 404),
    ask: (ids) => ({ ...agent(ids), body: { spending_limit: 7 } }),
  },
  'POST /v1/agents/{id}/explain': {
    statuses: bySession('auditor', 200, 404),
    ask: (ids) => ({ ...agent(ids), ...check(ids) }),
  },
  'POST /v1/agents/{id}/profile/dry-run': {
    statuses: bySession('auditor', 200, 404),
    ask: (ids) => ({
      ...agent(ids),
      body: { profile: {}, from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:01.000Z' },
    }),
  },
  'POST /v1/agents/{id}/profile/preview': {
    statuses: bySession('auditor', 200, 404),
    ask: (ids) => ({ ...agent(ids), body: { profile: {} } }),
  },
  'GET /v1/agents/{id}/registration-tx': { statuses: bySession('member', 200, 404), ask: agent },
  // No chain has the transaction.
  'POST /v1/agents/{id}/register-blockchain-self-custody': {
    statuses: bySession('member', 409, 404),
    ask: (ids) => ({
      ...agent(ids),
      body: { walletAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', transactionSignature: '1'.repeat(64) },
    }),
  },
  'GET /v1/safety-packages': { statuses: bySession('auditor', 200) },
  'GET /v1/approvals': { statuses: bySession('auditor', 200) },
  'GET /v1/approvals/{approvalId}': {
    statuses: { ...all(404), anonymous: 401, 'a session that has logged out': 401 },
    ask: () => UNKNOWN_APPROVAL,
  },
  // The approval decides who may: of one that does not exist, each person learns the same.
  'POST /v1/approvals/{approvalId}/decide': {
    statuses: bySession('auditor', 404),
    ask: () => ({ ...UNKNOWN_APPROVAL, body: { decision: 'deny' } }),
  },
  // The binding token decides: without one, nothing is requested.
  'POST /access/v1/requests': {
    statuses: byApiKey(400, 400),
    ask: () => ({
      body: { subject: { type: 'user', id: 'a' }, resource: { type: 'b', id: 'c' }, action: { name: 'd' } },
    }),
  },
  'GET /access/v1/requests/{taskId}': {
    statuses: byApiKey(404, 404),
    ask: () => ({ path: { taskId: 'arq_00000000-0000-4000-8000-000000000000' } }),
  },
  'GET /access/v1/jwks': { statuses: open(200) },
  'POST /v1/agents/{id}/apply-package': {
    statuses: bySession('member', 200, 404),
    ask: (ids) => ({ ...agent(ids), body: { packageId: 'spending-guard' } }),
  },
  'GET /v1/agents/{id}/profile/versions': { statuses: bySession('auditor', 200, 404), ask: agent },
  // No event names the version of an agent that was just created.
  'GET /v1/agents/{id}/profile/versions/{version}': {
    statuses: bySession('auditor', 404),
    ask: ({ agent: id }) => ({ path: { id, version: '999' } }),
  },
  'GET /v1/agents/{id}/windows': { statuses: bySession('auditor', 200, 404), ask: agent },
  'GET /v1/agents/{id}/anchors': { statuses: bySession('auditor', 200, 404), ask: agent },

  'GET /v1/events': { statuses: bySession('auditor', 200), ask: ({ agent: id }) => ({ query: `agentId=${id}` }) },
  'GET /v1/events/export': { statuses: bySession('auditor', 200), ask: () => ({ query: 'format=csv' }) },
  'GET /v1/events/{eventId}': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ event: eventId }) => ({ path: { eventId } }),
  },
  'GET /v1/events/{eventId}/proof': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ event: eventId }) => ({ path: { eventId } }),
  },
  'GET /v1/events/{eventId}/explanation': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ event: eventId }) => ({ path: { eventId } }),
  },
  'DELETE /v1/events/{eventId}/content': {
    statuses: bySession('admin', 204, 404),
    ask: ({ event: eventId }) => ({ path: { eventId } }),
  },
  'POST /v1/legal-holds': {
    statuses: bySession('admin', 201),
    ask: () => ({ body: { ...HELD, name: `hold ${randomUUID()}` } }),
  },
  'GET /v1/legal-holds': { statuses: { ...bySession('auditor', 200), 'the member': 403 } },
  'GET /v1/legal-holds/{id}': {
    statuses: { ...bySession('auditor', 200, 404), 'the member': 403 },
    ask: ({ hold: id }) => ({ path: { id } }),
  },
  'POST /v1/legal-holds/{id}/release': {
    statuses: bySession('admin', 200, 404),
    ask: ({ oldHold: id }) => ({ path: { id }, body: { reason: 'the case is closed' } }),
  },
  'GET /v1/anchoring': { statuses: bySession('auditor', 200) },
  'GET /v1/events/stream': { statuses: bySession('auditor', 200), ask: () => ({ query: 'seconds=1' }) },
  'GET /v1/completeness': { statuses: bySession('auditor', 200) },
  'GET /v1/search': { statuses: bySession('auditor', 200), ask: ({ event }) => ({ query: `q=${event}` }) },
  'GET /v1/stats/checks': { statuses: bySession('auditor', 200) },
  'GET /v1/stats/agents': { statuses: bySession('auditor', 200) },
  'GET /v1/alerts': { statuses: bySession('auditor', 200) },
  // The check was allowed: only refused ones are followed up.
  'POST /v1/alerts/follow-ups': {
    statuses: bySession('member', 400, 404),
    ask: ({ event }) => ({ body: { eventIds: [event], note: 'looked at' } }),
  },
  'GET /v1/alerts/follow-ups': { statuses: bySession('auditor', 200) },
  'GET /v1/alerts/open-count': { statuses: bySession('auditor', 200) },
  'GET /v1/alerts/groups': { statuses: bySession('auditor', 200) },
  'POST /v1/alerts/acknowledge': { statuses: bySession('member', 200) },
  'GET /v1/alert-configs': { statuses: bySession('auditor', 200) },
  'POST /v1/alert-configs': {
    statuses: bySession('member', 200, 404),
    ask: ({ alertConfig: id }) => ({ body: { id, minSeverity: 'P1' } }),
  },
  'POST /v1/alert-configs/{id}/test': {
    statuses: bySession('member', 200, 404),
    ask: ({ alertConfig: id }) => ({ path: { id } }),
  },
  'POST /v1/alert-configs/test': {
    statuses: bySession('member', 200),
    ask: () => ({ body: { kind: 'webhook', destination: 'https://hooks.countersign.example/' } }),
  },
  'POST /v1/alert-configs/{id}/deliveries/{deliveryId}/retry': {
    statuses: bySession('member', 404),
    ask: ({ alertConfig: id }) => ({ path: { id, deliveryId: `msg_${'0'.repeat(40)}` } }),
  },
  'GET /v1/alert-configs/{id}/deliveries': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ alertConfig: id }) => ({ path: { id } }),
  },
  'DELETE /v1/alert-configs/{id}': {
    statuses: bySession('member', 204, 404),
    // A removed thing is missing for the next caller.
    ask: ({ alertConfig, oldAlertConfig }, _bootstrap, who) => ({
      path: { id: who === 'the member' ? oldAlertConfig : alertConfig },
    }),
  },

  'GET /v1/streams': { statuses: bySession('auditor', 200) },
  'POST /v1/streams': {
    statuses: bySession('admin', 201),
    ask: () => ({ body: { kind: 'https', url: 'https://siem.countersign.example/', format: 'ecs', enabled: false } }),
  },
  'GET /v1/streams/{id}': { statuses: bySession('auditor', 200, 404), ask: ({ stream: id }) => ({ path: { id } }) },
  'PATCH /v1/streams/{id}': {
    statuses: bySession('admin', 200, 404),
    ask: ({ stream: id }) => ({ path: { id }, body: { filter: { outcome: 'denied' } } }),
  },
  'POST /v1/streams/{id}/test': {
    statuses: bySession('admin', 200, 404),
    ask: ({ stream: id }) => ({ path: { id } }),
  },
  'DELETE /v1/streams/{id}': {
    statuses: bySession('admin', 204, 404),
    ask: ({ oldStream: id }) => ({ path: { id } }),
  },

  'POST /v1/events/export-signed': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ agent: id }) => ({ body: { ...EXPORT, agentIds: [id] } }),
  },
  'GET /v1/coverage': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ agent: id }) => ({ query: `agentId=${id}&by=day` }),
  },
  'GET /v1/coverage/events': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ agent: id }) => ({ query: `framework=soc2&controlId=CC7.2&agentId=${id}` }),
  },
  'GET /v1/reports': { statuses: bySession('auditor', 200) },
  'GET /v1/reports/{id}': { statuses: bySession('auditor', 200, 404), ask: ({ report: id }) => ({ path: { id } }) },
  'POST /v1/reports/{id}/shares': {
    statuses: bySession('auditor', 201, 404),
    ask: ({ report: id }) => ({ path: { id }, body: { expiresIn: 3600 } }),
  },
  'GET /v1/reports/{id}/shares': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ report: id }) => ({ path: { id } }),
  },
  // One that was revoked stays listed, and is revoked again.
  'DELETE /v1/reports/{id}/shares/{shareId}': {
    statuses: bySession('auditor', 204, 404),
    ask: ({ report: id, share: shareId }) => ({ path: { id, shareId } }),
  },
  // The token decides: of one that was never made, each caller learns the same.
  'GET /v1/shared/{token}': {
    statuses: open(404),
    ask: () => ({ path: { token: randomBytes(32).toString('base64url') } }),
  },
  'POST /v1/report-series': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ report: id }) => ({ body: { reportIds: [id] } }),
  },
  'GET /v1/report-series': { statuses: bySession('auditor', 200) },
  'GET /v1/report-series/{id}': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ series: id }) => ({ path: { id } }),
  },
  'POST /v1/report-jobs': {
    statuses: bySession('member', 202, 404),
    ask: ({ agent: id }) => ({ body: { ...EXPORT, agentIds: [id] } }),
  },
  'GET /v1/report-jobs': { statuses: bySession('auditor', 200) },
  'GET /v1/report-jobs/{id}': {
    statuses: bySession('auditor', 200, 404),
    ask: ({ reportJob: id }) => ({ path: { id } }),
  },
  'DELETE /v1/report-jobs/{id}': {
    statuses: bySession('member', 204, 404),
    // A removed thing is missing for the next caller.
    ask: ({ reportJob, oldReportJob }, _bootstrap, who) => ({
      path: { id: who === 'the member' ? oldReportJob : reportJob },
    }),
  },
  // No PDF with this hash was issued.
  'GET /v1/reports/by-pdf-sha256/{sha256}': {
    statuses: open(404),
    ask: () => ({ path: { sha256: 'ab'.repeat(32) } }),
  },
  // It is not public.
  'GET /v1/reports/{id}/public': { statuses: open(404), ask: ({ report: id }) => ({ path: { id } }) },
  'PATCH /v1/reports/{id}': {
    statuses: bySession('member', 200, 404),
    ask: ({ report: id }) => ({ path: { id }, body: { public: false } }),
  },
  'GET /v1/compliance-scope': { statuses: bySession('auditor', 200) },
  'PUT /v1/compliance-scope': {
    statuses: bySession('admin', 200),
    ask: () => ({ body: { soc2: null, hipaa: null, euaiact: null, nydfs: null } }),
  },

  'GET /verify': { statuses: open(200) },
  'GET /verify/{file}': { statuses: open(200), ask: () => ({ path: { file: 'style.css' } }) },
  'GET /.well-known/jwks.json': { statuses: open(200) },
  'GET /v1/keys': { statuses: open(200) },
  'GET /v1/keys/{keyId}': { statuses: open(404), ask: () => ({ path: { keyId: 'key_0000000000000000' } }) },
  // No agent has this SSN.
  'GET /v1/verify/{ssn}': { statuses: open(404), ask: () => ({ path: { ssn: 'CSN-0000-0000-0000-0000' } }) },
  'POST /v1/inclusion/verify': { statuses: open(200), ask: () => ({ body: { event: {}, proof: {} } }) },
  'POST /v1/chain/verify': {
    statuses: open(200),
    ask: () => ({ body: { anchor_tx_signature: '1'.repeat(64), sha256: '0'.repeat(64), signature: 'AA==' } }),
  },
};
