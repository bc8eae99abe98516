import { bodyErrors, error, isoTime, sessionErrors, uuid, retryLater } from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { errorsById, notNow } from './people.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';
import { recoveryCodes, signedInByFactor } from './signed-in.js';

/** Of a time-based code (RFC 6238) or of a recovery code, with spaces and hyphens. */
export const code = { type: 'string', minLength: 6, maxLength: 40 } as const;
export const sealedToken = { type: 'string', minLength: 1, maxLength: 2048 } as const;

const enrolment = object({
  enrolment: { type: 'string', description: 'sent back with the first code; not a secret of the second factor' },
  secret: {
    type: 'string',
    description: 'of the codes, in base32, to type into an authenticator; only in this answer',
  },
  uri: { type: 'string', description: 'the same as `otpauth:` address, to show as QR code' },
  expiresAt: isoTime,
});
export type SecondFactorEnrolment = JsonOf<typeof enrolment>;

const state = object({
  enrolledAt: nullable({ ...isoTime, description: 'null: the caller has no second factor' }),
  recoveryCodesLeft: { type: 'integer', minimum: 0 },
  required: { type: 'boolean', description: 'true: each user of the account enrols one at the next sign-in' },
});
export type SecondFactorState = JsonOf<typeof state>;

const requirement = object({ required: { type: 'boolean' } });
const newCodes = object({ recoveryCodes });

const tooManyCodes: RouteResponse = retryLater(
  'too many wrong codes of this user or from this IP; try again after Retry-After',
);
/** Of a request that needs a code of the caller. */
const codeErrors = {
  ...bodyErrors,
  401: sessionErrors[401],
  403: error('the code is wrong, was used already, or is not of this time'),
  409: error('the caller has no second factor'),
  429: tooManyCodes,
  503: notNow,
};
const tag = 'Accounts';

/** Second factors of people: time-based codes, and recovery codes in place of them. */
export const secondFactorRoutes = {
  beginEnrolmentAtSignIn: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/second-factor/enrolment',
    operationId: 'beginEnrolmentAtSignIn',
    summary: 'Begins the second factor of a user whose account requires one, at the sign-in',
    tag,
    auth: 'none',
    body: object({ token: sealedToken }),
    success: 200,
    responses: {
      200: { description: 'the secret to enrol; nothing is stored yet', schema: enrolment },
      ...bodyErrors,
      401: error('the token has expired, was used, or is for a code: sign in again'),
    },
  }),
  finishSignIn: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/auth/second-factor',
    operationId: 'finishSignIn',
    summary: 'Opens the session of a sign-in whose password was right, by a code of the second factor',
    tag,
    auth: 'none',
    body: {
      type: 'object',
      required: ['token', 'code'],
      properties: { token: sealedToken, code, enrolment: sealedToken },
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: { description: 'signed in; with `enrolment`, also recovery codes', schema: signedInByFactor },
      ...bodyErrors,
      401: error('the code is wrong or was used, or the token has expired or was used'),
      403: error('too many wrong codes in a row: a new password by link, or an admin who resets the second factor'),
      429: tooManyCodes,
      503: notNow,
    },
  }),
  getSecondFactor: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/second-factor',
    operationId: 'getSecondFactor',
    summary: 'Reports whether the caller has a second factor, and whether the account requires one',
    tag,
    auth: 'session',
    success: 200,
    responses: { 200: { description: 'the state', schema: state }, 401: sessionErrors[401] },
  }),
  beginEnrolment: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/second-factor/enrolment',
    operationId: 'beginEnrolment',
    summary: 'Begins the second factor of the caller, by the password',
    tag,
    auth: 'session',
    body: object({ password: { type: 'string', maxLength: 1024 } }),
    success: 200,
    responses: {
      200: { description: 'the secret to enrol; nothing is stored yet', schema: enrolment },
      ...bodyErrors,
      401: sessionErrors[401],
      403: error('the password is wrong'),
      409: error('the caller has a second factor: remove it first'),
      429: retryLater('too many wrong passwords'),
    },
  }),
  enrol: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/second-factor',
    operationId: 'enrolSecondFactor',
    summary: 'Enrols the second factor by its first code, and ends all other sessions of the caller',
    tag,
    auth: 'session',
    body: object({ enrolment: sealedToken, code }),
    success: 201,
    responses: {
      201: { description: 'enrolled', schema: newCodes },
      ...bodyErrors,
      401: sessionErrors[401],
      403: error('the code is wrong, or the enrolment has expired'),
      409: error('the caller has a second factor: remove it first'),
      503: notNow,
    },
  }),
  renewRecoveryCodes: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/second-factor/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Replaces the recovery codes of the caller, by a code',
    tag,
    auth: 'session',
    body: object({ code }),
    success: 201,
    responses: {
      201: { description: 'the new ones; those before have ended', schema: newCodes },
      ...codeErrors,
    },
  }),
  removeSecondFactor: route({
    service: 'identity',
    method: 'POST',
    path: '/v1/second-factor/removal',
    operationId: 'removeSecondFactor',
    summary: 'Removes the second factor of the caller, by a code',
    tag,
    auth: 'session',
    body: object({ code }),
    success: 204,
    responses: {
      204: { description: 'removed, with its recovery codes' },
      ...codeErrors,
    },
  }),
  setRequirement: route({
    service: 'identity',
    method: 'PUT',
    path: '/v1/second-factor/requirement',
    operationId: 'requireSecondFactor',
    summary: 'Sets whether each user of the account needs a second factor, from the next sign-in on',
    tag,
    auth: 'session',
    role: 'admin',
    body: requirement,
    success: 200,
    responses: {
      200: { description: 'the requirement', schema: requirement },
      ...bodyErrors,
      ...sessionErrors,
      503: notNow,
    },
  }),
  resetSecondFactor: route({
    service: 'identity',
    method: 'DELETE',
    path: '/v1/users/{id}/second-factor',
    operationId: 'resetSecondFactor',
    summary: 'Removes the second factor of another user, and ends all sessions of that user',
    tag,
    auth: 'session',
    role: 'admin',
    params: { id: uuid },
    success: 204,
    responses: {
      204: { description: 'removed, also if there was none: it ends the sessions' },
      ...errorsById('no such user'),
      409: error('your own is removed by a code: POST /v1/second-factor/removal'),
    },
  }),
};
