import { agentRecord, oauthClientIds } from './agent-record.js';
import { bodyErrors, error, pageOf, paging, sessionErrors, uuid, retryLater } from './fragments.js';
import { dryRun, dryRunBody } from './dry-run.js';
import { explainBody, explanation } from './explanation.js';
import { behaviorProfile, changedProfile, profilePatch } from './profile.js';
import { packageRules, previewBody, profilePreview } from './profile-preview.js';
import { registrationRoutes } from './registration.js';
import { nullable, object, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';

const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;
const label = nullable(text(200));
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' } as const;
const purpose = nullable(text(2000));

const newAgentFields = {
  name,
  type: label,
  agent_type: { ...label, description: 'alias of type' },
  purpose,
  version: label,
} as const;

const newAgent = {
  type: 'object',
  required: ['name'],
  properties: { ...newAgentFields, oauth_client_ids: oauthClientIds },
  additionalProperties: false,
} as const;

/** Without client ids: a key would take one from the agent of an admin. */
const registeredAgent = {
  type: 'object',
  required: ['name'],
  properties: newAgentFields,
  additionalProperties: false,
} as const;

const agentPatch = {
  type: 'object',
  properties: {
    name,
    type: label,
    agent_type: label,
    purpose,
    version: label,
    oauth_client_ids: { ...oauthClientIds, description: 'replaces all of them; `[]`: none' },
  },
  additionalProperties: false,
} as const;

/** Fields of an agent that a body names, well formed by its schema. */
export type AgentBody = JsonOf<typeof agentPatch>;

const reason = {
  type: 'object',
  properties: { reason: nullable(text(1000)) },
  additionalProperties: false,
} as const;

const safetyPackage = object({
  id: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  rules: packageRules,
});

const service = 'policy' as const;
const tag = 'Agents';
const noAgent = error('no such agent');
const inactive = error('the agent is inactive, which cannot be undone');
const notNow = error('the change could not be made durable or published; it may still take effect');
const agentsFull = error(
  'the account has as many agents as its plan allows: the answer gives the number; or another agent has one of the client ids',
);
const tooOften: RouteResponse = retryLater(
  'the account changes its agents too often: the limit is 1,200 changes a minute, and a profile counts one more for each KiB',
);
const profileTooLarge = error('the profile would exceed 64 KiB of canonical JSON, or the body 1 MiB');
const anAgent = (description: string) => ({ description, schema: agentRecord });
const aChangedProfile = {
  description: 'the whole profile, with `warnings` if parts of it have no effect',
  schema: changedProfile,
};
const refusedKey = error('no valid API key with this right');
const aProfile = { description: 'the whole profile', schema: behaviorProfile };

export const policyRoutes = {
  createAgent: route({
    service,
    method: 'POST',
    path: '/v1/agents',
    operationId: 'createAgent',
    summary: 'Creates an agent with an empty behavior profile',
    tag,
    auth: 'session',
    role: 'member',
    body: newAgent,
    success: 201,
    responses: {
      201: anAgent('the new agent'),
      ...bodyErrors,
      ...sessionErrors,
      409: agentsFull,
      429: tooOften,
      503: notNow,
    },
  }),
  listAgents: route({
    service,
    method: 'GET',
    path: '/v1/agents',
    operationId: 'listAgents',
    summary: 'Lists the agents of the account, newest first or by name',
    tag,
    auth: 'session',
    query: {
      ...paging,
      status: agentRecord.properties.status,
      q: { type: 'string', minLength: 1, maxLength: 200, description: 'part of the name or of the id, in any case' },
      sort: {
        type: 'string',
        enum: ['created_at', 'name'],
        default: 'created_at',
        description: '`created_at`: newest first; `name`: from A to Z, whatever the case',
      },
    },
    success: 200,
    responses: {
      200: { description: 'a page of agents', schema: pageOf('agents', agentRecord) },
      400: bodyErrors[400],
      401: sessionErrors[401],
    },
  }),
  getAgent: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}',
    operationId: 'getAgent',
    summary: 'One agent, with its profile',
    tag,
    auth: 'session',
    params: { id: uuid },
    success: 200,
    responses: { 200: anAgent('the agent'), 400: bodyErrors[400], 401: sessionErrors[401], 404: noAgent },
  }),
  updateAgent: route({
    service,
    method: 'PATCH',
    path: '/v1/agents/{id}',
    operationId: 'updateAgent',
    summary: 'Changes the fields that are named; null unsets',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: agentPatch,
    success: 200,
    responses: {
      200: anAgent('the agent'),
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: error('the agent is inactive, which cannot be undone, or another agent has one of the client ids'),
      503: notNow,
    },
  }),
  freezeAgent: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/freeze',
    operationId: 'freezeAgent',
    summary: 'Freezes an agent: its next check is refused, on every gateway',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: reason,
    bodyOptional: true,
    success: 200,
    responses: {
      200: anAgent('the agent, also if it is frozen already'),
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: inactive,
      503: notNow,
    },
  }),
  unfreezeAgent: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/unfreeze',
    operationId: 'unfreezeAgent',
    summary: 'Ends a freeze',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: reason,
    bodyOptional: true,
    success: 200,
    responses: {
      200: anAgent('the agent, also if it is active already'),
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: inactive,
      503: notNow,
    },
  }),
  deactivateAgent: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/deactivate',
    operationId: 'deactivateAgent',
    summary: 'Deactivates an agent permanently: its checks get 404, later changes 409',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: reason,
    bodyOptional: true,
    success: 200,
    responses: {
      200: anAgent('the agent, also if it is inactive already'),
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      503: notNow,
    },
  }),
  getProfile: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/profile',
    operationId: 'getProfile',
    summary: 'The behavior profile of an agent',
    tag,
    auth: 'session',
    params: { id: uuid },
    success: 200,
    responses: { 200: aProfile, 400: bodyErrors[400], 401: sessionErrors[401], 404: noAgent },
  }),
  updateProfile: route({
    service,
    method: 'PATCH',
    path: '/v1/agents/{id}/profile',
    operationId: 'updateProfile',
    summary: 'Changes the fields that are named; in force for the next check',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: profilePatch,
    success: 200,
    responses: {
      200: aChangedProfile,
      ...bodyErrors,
      ...sessionErrors,
      404: noAgent,
      409: error('the agent is inactive, or version is not the current one'),
      413: profileTooLarge,
      429: tooOften,
      503: notNow,
    },
  }),
  explainCheck: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/explain',
    operationId: 'explainCheck',
    summary: 'The result of every rule of the profile for an action; takes the body of a check and records nothing',
    tag,
    auth: 'session',
    params: { id: uuid },
    // The draft is validated as the body of a PATCH is, with the same messages, by the handler.
    body: explainBody({}),
    shownBody: explainBody(profilePatch),
    success: 200,
    responses: {
      200: { description: 'the trace of every rule', schema: explanation },
      ...bodyErrors,
      401: sessionErrors[401],
      404: noAgent,
      409: error('with a draft: the agent is inactive, or version is not the current one'),
      503: error('spending, rate, facts and limits cannot be read now'),
    },
  }),
  dryRunProfile: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/profile/dry-run',
    operationId: 'dryRunProfile',
    summary: 'Recorded checks that a draft of the profile would have decided differently; changes nothing',
    tag,
    auth: 'session',
    params: { id: uuid },
    // The draft is validated as the body of a PATCH is, with the same messages, so the handler applies `dryRunBody` itself.
    body: {},
    shownBody: dryRunBody,
    success: 200,
    responses: {
      200: { description: 'decisions that would change, by rule', schema: dryRun },
      ...bodyErrors,
      401: sessionErrors[401],
      404: noAgent,
      409: error('the agent is inactive, or version is not the current one'),
      503: error('the archive cannot be read now, or too many dry runs are running'),
    },
  }),
  previewProfile: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/profile/preview',
    operationId: 'previewProfile',
    summary:
      'A profile as a draft would leave it, its findings, and the results of test cases under it; changes nothing',
    tag,
    auth: 'session',
    params: { id: uuid },
    // A draft that is refused is a finding, so the handler validates it.
    body: previewBody({}, {}),
    shownBody: previewBody(profilePatch, packageRules),
    success: 200,
    responses: {
      200: { description: 'what came of the draft', schema: profilePreview },
      ...bodyErrors,
      401: sessionErrors[401],
      404: noAgent,
      503: error('the cases of other drafts are being run'),
    },
  }),
  listSafetyPackages: route({
    service,
    method: 'GET',
    path: '/v1/safety-packages',
    operationId: 'listSafetyPackages',
    summary: 'Named sets of rules that can be merged into a profile',
    tag,
    auth: 'session',
    success: 200,
    responses: {
      200: {
        description: 'all packages',
        schema: object({ packages: { type: 'array', items: safetyPackage } }),
      },
      401: sessionErrors[401],
    },
  }),
  applySafetyPackage: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/apply-package',
    operationId: 'applySafetyPackage',
    summary: "Merges a package's rules into the profile: the union of lists, the stricter of two numbers",
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: object({ packageId: { type: 'string', minLength: 1, maxLength: 200 } }),
    success: 200,
    responses: {
      200: aChangedProfile,
      ...bodyErrors,
      ...sessionErrors,
      404: error('no such agent, or no such package'),
      409: error('the agent is inactive, or a list would exceed 1,000 entries'),
      413: profileTooLarge,
      429: tooOften,
      503: notNow,
    },
  }),
  registerAgent: route({
    service,
    method: 'POST',
    path: '/v1/mcp/register',
    operationId: 'mcpRegister',
    summary:
      'Creates an agent, by an API key; it starts with the default profile of the account, and needs a key bound to it',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['register'],
    body: registeredAgent,
    success: 201,
    responses: {
      201: anAgent(
        'the new agent. Unless the account’s first key registered it, its checks need a key that names it in `agentIds`, which an admin issues',
      ),
      ...bodyErrors,
      401: error('no valid API key with this right'),
      403: error('an agent of the key is frozen'),
      409: error(
        'the account has as many agents as its plan allows, or the denials for the agents of the key do not fit into one profile',
      ),
      429: tooOften,
      503: notNow,
    },
  }),
  readAgentByKey: route({
    service,
    method: 'GET',
    path: '/v1/mcp/agents/{id}',
    operationId: 'mcpGetAgent',
    summary: 'An agent that the key is valid for, with its profile',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['read'],
    params: { id: uuid },
    success: 200,
    responses: { 200: anAgent('the agent'), 400: bodyErrors[400], 401: refusedKey, 404: noAgent },
  }),
  readProfileByKey: route({
    service,
    method: 'GET',
    path: '/v1/mcp/agents/{id}/profile',
    operationId: 'mcpGetProfile',
    summary: 'The behavior profile of an agent that the key is valid for',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['read', 'policy'],
    params: { id: uuid },
    success: 200,
    responses: { 200: aProfile, 400: bodyErrors[400], 401: refusedKey, 404: noAgent },
  }),
  putProfileByKey: route({
    service,
    method: 'PUT',
    path: '/v1/mcp/agents/{id}/profile',
    operationId: 'mcpPutProfile',
    summary: 'Replaces the profile; fields that are not named take their defaults',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['policy'],
    params: { id: uuid },
    body: profilePatch,
    success: 200,
    responses: {
      200: aChangedProfile,
      ...bodyErrors,
      401: refusedKey,
      404: noAgent,
      409: error('the agent is inactive, or version is not the current one'),
      413: profileTooLarge,
      429: tooOften,
      503: notNow,
    },
  }),
  ...registrationRoutes,
};

export type AgentsQuery = QueryOf<typeof policyRoutes.listAgents>;
