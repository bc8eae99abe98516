import { API_KEY_RIGHTS } from '../records.js';
import { profilePatch, profileWarnings } from './profile.js';
import { bodyErrors, error, isoTime, pageOf, paging, sessionErrors, uuid, retryLater } from './fragments.js';
import { nullable, object, type BodyOf, type JsonOf, type JsonSchema } from './json-schema.js';
import { email, errorsById, newPassword, notNow, peopleRoutes, tooManyFailures } from './people.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';
import { code, sealedToken } from './second-factor.js';
import { browserSession, browserSessionByFactor, plan, secondFactorNeeded, signedIn } from './signed-in.js';

const visibleName = { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const cap = nullable({ type: 'integer', minimum: 0 });

/** Most agents that an API key is bound to. */
const MOST_AGENTS_OF_KEY = 1000;

const rights = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', enum: API_KEY_RIGHTS },
  description:
    'check: decisions; outcome: outcomes of actions; scan: texts and tools; register: new agents; read: agents and profiles; policy: replacing profiles',
} as const;
const keyAgents = nullable({
  type: 'array',
  minItems: 1,
  maxItems: MOST_AGENTS_OF_KEY,
  uniqueItems: true,
  items: uuid,
  description: 'the agents that the key may act for; null is every agent of the account',
});
const keyEnd = nullable({ ...isoTime, description: 'the key gets 401 from this time on; null: it does not expire' });

const issuedKey = {
  id: uuid,
  name: { type: 'string' },
  prefix: { type: 'string', description: 'the first 16 characters of the key' },
  createdAt: isoTime,
  first: { type: 'boolean', description: 'issued by the service with the account; it has every right' },
  rights,
  agentIds: keyAgents,
  expiresAt: keyEnd,
} as const;

const apiKey = object({ ...issuedKey, lastUsedAt: nullable(isoTime), revokedAt: nullable(isoTime) });

export type ApiKeyRecord = JsonOf<typeof apiKey>;
export type IssuedKeyRecord = Omit<ApiKeyRecord, 'lastUsedAt' | 'revokedAt'>;

const newApiKey = {
  type: 'object',
  required: ['name'],
  properties: {
    name: visibleName,
    rights: { ...rights, description: 'default: check, outcome and scan' },
    agentIds: { ...keyAgents, description: 'default, or null: every agent of the account' },
    expiresAt: { ...keyEnd, description: 'a future time; default, or null: the key does not expire' },
  },
  additionalProperties: false,
} as const;

const account = object({
  id: uuid,
  name: { type: 'string' },
  plan,
  sandbox: nullable(object({ expiresAt: isoTime, actionCap: cap, actionsUsed: count })),
  actionCap: { ...cap, description: 'the cap in force; null is none' },
  actionsUsed: { ...count, description: 'in the period that ends at periodEndsAt' },
  periodEndsAt: { ...isoTime, description: 'next month (UTC) on a paid plan; the expiry of a sandbox' },
});

export type AccountRecord = JsonOf<typeof account>;

const {
  agent_id: _agent,
  version: _version,
  ...ruleFields
} = profilePatch['properties'] as Readonly<Record<string, JsonSchema>>;
const rules: JsonSchema = { type: 'object', properties: ruleFields, additionalProperties: false };
const defaultProfile: JsonSchema = object({
  profile: { ...nullable(rules), description: 'the fields that are set; null: no default profile' },
});

const changedDefaultProfile: JsonSchema = {
  ...defaultProfile,
  properties: { ...(defaultProfile['properties'] as Readonly<Record<string, JsonSchema>>), warnings: profileWarnings },
};

const tooManyRegistrations: RouteResponse = retryLater(
  'more than 20 registrations from this IP in 15 minutes; try again after Retry-After',
);
const signIn = object({ email: { type: 'string', maxLength: 254 }, password: { type: 'string', maxLength: 1024 } });
/** Address and password; the token of a link that signs in once, 32 random bytes in base64url; or the second step of a sign-in. */
const sessionStart = {
  type: 'object',
  properties: {
    ...signIn.properties,
    oneTimeToken: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    secondFactorToken: sealedToken,
    code,
    enrolment: sealedToken,
  },
  additionalProperties: false,
  oneOf: [
    { required: ['email', 'password'] },
    { required: ['oneTimeToken'] },
    { required: ['secondFactorToken', 'code'] },
  ],
} as const;

const passwordRefused = secondFactorNeeded(
  'a second factor is needed: continue with `secondFactor`; or the user signs in at the provider (`GET /v1/auth/oidc/start`): passwords are refused',
);

const tag = 'Accounts';

export const identityRoutes = {
  ...peopleRoutes,
  login: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/login',
    operationId: 'logIn',
    summary: 'Opens a session of 12 hours',
    tag,
    auth: 'none',
    body: signIn,
    success: 200,
    responses: {
      200: { description: 'signed in', schema: signedIn },
      ...bodyErrors,
      401: error('wrong address or password'),
      403: passwordRefused,
      429: tooManyFailures,
      503: notNow,
    },
  }),
  logout: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/logout',
    operationId: 'logOut',
    summary: 'Ends the session; its token then gets 401',
    tag,
    auth: 'session',
    success: 204,
    responses: { 204: { description: 'signed out' }, 401: sessionErrors[401], 503: notNow },
  }),
  openSession: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/session',
    operationId: 'openSession',
    summary: 'Opens a session of 12 hours for a page of this service, in a cookie that no script can read',
    tag,
    auth: 'none',
    body: sessionStart,
    success: 200,
    responses: {
      200: {
        description: 'signed in; with `enrolment`, also recovery codes',
        schema: browserSessionByFactor,
        headers: { 'Set-Cookie': '`__Host-csn_session`; on this machine, by plain http, `csn_session`' },
      },
      ...bodyErrors,
      401: error('wrong address, password or code, or a link or a token that was used or has expired'),
      403: secondFactorNeeded(
        'a second factor is needed: continue with `secondFactor`; or the request does not come from a page of this service, or the user signs in at the provider',
      ),
      429: tooManyFailures,
      503: notNow,
    },
  }),
  getSession: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/session',
    operationId: 'getSession',
    summary: 'Account, user and end of the session',
    tag,
    auth: 'session',
    success: 200,
    responses: { 200: { description: 'the session', schema: browserSession }, 401: sessionErrors[401] },
  }),
  closeSession: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/session',
    operationId: 'closeSession',
    summary: 'Ends the session and removes its cookie',
    tag,
    auth: 'session',
    success: 204,
    responses: {
      204: {
        description: 'signed out',
        headers: { 'Set-Cookie': 'removes the cookie', 'Clear-Site-Data': 'what pages of this origin have stored' },
      },
      401: sessionErrors[401],
      503: notNow,
    },
  }),
  register: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/register',
    operationId: 'register',
    summary: 'Creates a sandbox account with its first admin, where registration is open',
    description:
      'With a mail server (`SMTP_URL`) the answer is 202 for every address, and the address gets an e-mail: to confirm the registration, or that it has an account already. Without one the account is created at once.',
    tag,
    auth: 'none',
    body: object({ email, password: newPassword, accountName: visibleName }),
    success: 201,
    responses: {
      201: { description: 'registered and signed in', schema: signedIn },
      202: {
        description: 'an e-mail was sent to the address',
        schema: object({ confirmation: { type: 'string', enum: ['sent'] } }),
      },
      ...bodyErrors,
      404: error('registration is not open'),
      409: error('the address is taken; only without a mail server'),
      429: tooManyRegistrations,
      503: error('the change could not be made durable or published, or the e-mail could not be sent'),
    },
  }),
  confirmRegistration: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/register/confirm',
    operationId: 'confirmRegistration',
    summary: 'Creates the account of a registration, by the token in the e-mail that was sent to its address',
    tag,
    auth: 'none',
    body: object({ token: { type: 'string', minLength: 1, maxLength: 4096 } }),
    success: 201,
    responses: {
      201: { description: 'registered and signed in', schema: signedIn },
      ...bodyErrors,
      404: error('registration is not open'),
      409: error('the registration is confirmed already, or the address has been taken since'),
      503: notNow,
    },
  }),
  listApiKeys: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/api-keys',
    operationId: 'listApiKeys',
    summary: 'Lists the API keys of the account, revoked ones included, newest first',
    tag,
    auth: 'session',
    role: 'admin',
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of API keys', schema: pageOf('apiKeys', apiKey) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  createApiKey: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/api-keys',
    operationId: 'createApiKey',
    summary: 'Issues an API key; it is shown only once',
    tag,
    auth: 'session',
    role: 'admin',
    body: newApiKey,
    success: 201,
    responses: {
      201: {
        description: 'the new key',
        schema: object({ ...issuedKey, key: { type: 'string', pattern: '^csn_live_[0-9A-Za-z]{40}$' } }),
      },
      ...bodyErrors,
      ...sessionErrors,
      503: notNow,
    },
  }),
  revokeApiKey: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    operationId: 'revokeApiKey',
    summary: 'Revokes an API key: it gets 401 at once, on every gateway',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    success: 204,
    responses: {
      204: { description: 'revoked, also if it was revoked before' },
      ...errorsById('no such API key'),
    },
  }),
  getDefaultProfile: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/account/default-profile',
    operationId: 'getDefaultProfile',
    summary: 'The initial profile of agents that are registered by an API key',
    tag,
    auth: 'session',
    success: 200,
    responses: { 200: { description: 'the default profile', schema: defaultProfile }, 401: sessionErrors[401] },
  }),
  putDefaultProfile: route({
    service: 'identity',
    method: 'PUT',
    path: '/v1/account/default-profile',
    operationId: 'putDefaultProfile',
    summary: 'Sets the initial profile of agents that are registered by an API key; null removes it',
    tag,
    auth: 'session',
    role: 'admin',
    body: {
      type: ['object', 'null'],
      properties: ruleFields,
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: {
        description: 'the default profile, with `warnings` if parts of it have no effect',
        schema: changedDefaultProfile,
      },
      ...bodyErrors,
      ...sessionErrors,
      503: notNow,
    },
  }),
  getAccount: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/account',
    operationId: 'getAccount',
    summary: 'The account, its plan and its usage',
    tag,
    auth: 'session',
    success: 200,
    responses: {
      200: { description: 'the account', schema: account },
      401: sessionErrors[401],
      503: error('the usage cannot be read now'),
    },
  }),
};

/** Body of `POST /v1/api-keys`. */
export type NewApiKey = BodyOf<typeof identityRoutes.createApiKey>;
