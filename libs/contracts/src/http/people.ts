import { ROLES } from '../records.js';
import { bodyErrors, error, isoTime, pageOf, paging, sessionErrors, uuid, retryLater } from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';

const EMAIL_PATTERN = '^[^\\s@]{1,64}@[^\\s@]{1,189}$';

export const email = { type: 'string', maxLength: 254, pattern: EMAIL_PATTERN } as const;
/** A new password. */
export const newPassword = { type: 'string', minLength: 12, maxLength: 1024 } as const;
export const role = { type: 'string', enum: ROLES } as const;

const userFields = { id: uuid, email: { type: 'string' }, role, createdAt: isoTime } as const;
const user = {
  type: 'object',
  required: ['id', 'email', 'role', 'createdAt'],
  properties: {
    ...userFields,
    invited: { type: 'boolean', description: 'true: has set no password yet; absent from all others' },
    secondFactor: { type: 'boolean', description: 'true: has a second factor; absent from all others' },
  },
  additionalProperties: false,
} as const;

export type UserRecord = JsonOf<typeof user>;

const linkFields = {
  link: nullable({
    type: 'string',
    description: 'to hand over; only in this answer. null: it was sent by e-mail, and is in no answer',
  }),
  sentTo: nullable({ type: 'string', description: 'the address that it was sent to; null without a mail server' }),
  expiresAt: isoTime,
} as const;
const passwordLink = object(linkFields);
const invitation = object({ user, ...linkFields });

/** A link that sets a password. */
export type PasswordLinkRecord = JsonOf<typeof passwordLink>;
export type InvitationRecord = JsonOf<typeof invitation>;

const openSessionFields = object({
  id: uuid,
  userId: uuid,
  openedAt: isoTime,
  expiresAt: isoTime,
  current: { type: 'boolean', description: 'the session of this request' },
});
export type OpenSessionRecord = JsonOf<typeof openSessionFields>;

export const tooManyFailures: RouteResponse = retryLater(
  'too many failed attempts for this address or from this IP; try again after Retry-After',
);
export const notNow = error('the change could not be made durable or published; it may still take effect');
/** Of a change of what the path names. */
export const errorsById = (missing: string) => ({
  400: bodyErrors[400],
  ...sessionErrors,
  404: error(missing),
  503: notNow,
});
const tooManyLinks: RouteResponse = retryLater(
  'too many links for this address or from this IP; try again after Retry-After',
);
const notSent = error('the e-mail could not be sent, or the change not be made durable or published; try again');

const tag = 'Accounts';

/** Users, their passwords and their sessions. */
export const peopleRoutes = {
  changePassword: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/password',
    operationId: 'changePassword',
    summary: 'Changes the password of the signed-in user and ends all other sessions of that user',
    tag,
    auth: 'session',
    body: object({ currentPassword: { type: 'string', maxLength: 1024 }, newPassword }),
    success: 204,
    responses: {
      204: { description: 'changed; the session of the request stays valid' },
      ...bodyErrors,
      401: sessionErrors[401],
      403: error('the current password is wrong'),
      429: tooManyFailures,
      503: notNow,
    },
  }),
  setPasswordByLink: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/password/by-link',
    operationId: 'setPasswordByLink',
    summary: 'Sets the password of a user by the token of a link, once, and ends all sessions of that user',
    tag,
    auth: 'none',
    body: object({ token: { type: 'string', pattern: '^[A-Za-z0-9_-]{64}$' }, newPassword }),
    success: 204,
    responses: {
      204: { description: 'set: sign in with it' },
      ...bodyErrors,
      400: error('malformed, or the link was used, has expired, was replaced by a newer one or was never issued'),
      403: error('the user signs in at the provider (`GET /v1/auth/oidc/start`): passwords are refused'),
      429: tooManyFailures,
      503: notNow,
    },
  }),
  forgotPassword: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/password/forgotten',
    operationId: 'forgotPassword',
    summary: 'Sends a link that sets a password to this address if it has a user; the answer is the same if not',
    tag,
    auth: 'none',
    body: object({ email }),
    success: 202,
    responses: {
      202: {
        description: 'if the address has a user, an e-mail is sent to it',
        schema: object({ link: { type: 'string', enum: ['sent if the address has a user'] } }),
      },
      ...bodyErrors,
      404: error('there is no mail server (`SMTP_URL`): an admin of the account makes the link'),
      429: tooManyLinks,
    },
  }),
  makePasswordLink: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/users/{id}/password-link',
    operationId: 'makePasswordLink',
    summary: 'Makes a link by which a user sets a new password; it replaces the one before',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    success: 201,
    responses: {
      201: { description: 'the link was sent, or is in the answer', schema: passwordLink },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('no such user'),
      409: error('the link would be for the caller, or for a user whose passwords are refused'),
      429: tooManyLinks,
      503: notSent,
    },
  }),
  invite: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/invitations',
    operationId: 'invite',
    summary: 'Adds a user who sets the first password by a link; a repetition makes a new link',
    tag,
    auth: 'session',
    role: 'admin',
    body: object({ email, role }),
    success: 201,
    responses: {
      201: { description: 'invited; the link was sent, or is in the answer', schema: invitation },
      ...bodyErrors,
      ...sessionErrors,
      409: error('the address is taken'),
      429: tooManyLinks,
      503: notSent,
    },
  }),
  listSessions: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/sessions',
    operationId: 'listSessions',
    summary: 'Lists the open sessions of the caller; for admins, also those of another user of the account',
    tag,
    auth: 'session',
    query: { ...paging, userId: uuid },
    success: 200,
    responses: {
      200: { description: 'a page of open sessions, newest first', schema: pageOf('sessions', openSessionFields) },
      400: bodyErrors[400],
      401: sessionErrors[401],
      403: error('sessions of others are for admins'),
      404: error('no such user'),
    },
  }),
  endSession: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    operationId: 'endSession',
    summary: 'Ends a session of the caller; for admins, also of another user of the account',
    tag,
    auth: 'session',
    params: { id: uuid },
    success: 204,
    responses: {
      204: { description: 'ended: its next request gets 401' },
      400: bodyErrors[400],
      401: sessionErrors[401],
      404: error('no such session, or it is of another user and the caller is not an admin'),
      503: notNow,
    },
  }),
  listUsers: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/users',
    operationId: 'listUsers',
    summary: 'Lists the users of the account, newest first',
    tag,
    auth: 'session',
    role: 'admin',
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of users', schema: pageOf('users', user) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  createUser: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/users',
    operationId: 'createUser',
    summary: 'Adds a user with a first password, which its admin knows: to invite a person, use POST /v1/invitations',
    tag,
    auth: 'session',
    role: 'admin',
    body: object({ email, role, password: newPassword }),
    success: 201,
    responses: {
      201: { description: 'the new user', schema: user },
      ...bodyErrors,
      ...sessionErrors,
      409: error('the address is taken'),
      503: notNow,
    },
  }),
  updateUser: route({
    service: 'identity',
    method: 'PATCH',
    path: '/v1/users/{id}',
    operationId: 'updateUser',
    summary: 'Changes the role of a user, effective at once, in open sessions as well',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    body: object({ role }),
    success: 200,
    responses: {
      200: { description: 'the user', schema: user },
      ...bodyErrors,
      ...sessionErrors,
      404: error('no such user'),
      409: error('the last admin cannot get another role'),
      503: notNow,
    },
  }),
  deleteUser: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/users/{id}',
    operationId: 'deleteUser',
    summary: 'Removes a user and ends the sessions of that user',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    success: 204,
    responses: {
      204: { description: 'removed' },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('no such user'),
      409: error('the last admin cannot be removed'),
      503: notNow,
    },
  }),
};
