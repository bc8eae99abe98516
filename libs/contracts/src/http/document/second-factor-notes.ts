import type { OperationNotes } from './operation-note.js';

const TOKEN = 'the token of the sign-in';
const ENROLMENT = 'the enrolment of the answer before';
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const CODES = ['abcd-efgh-ijkl-mnop', 'qrst-uvwx-yz23-4567'];
const BEGUN = {
  enrolment: ENROLMENT,
  secret: SECRET,
  uri: `otpauth://totp/Countersign:ana%40example.com?issuer=Countersign&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  expiresAt: '2100-01-01T00:00:00.000Z',
};

/** Second factors at sign-in. */
export const SECOND_FACTOR_NOTES: OperationNotes = {
  beginEnrolmentAtSignIn: {
    body: { token: TOKEN },
    answers: { 200: BEGUN },
    description:
      'After a sign-in that was answered with 403 and `secondFactor.step` `enrolment`. `POST /v1/auth/second-factor` with `token`, `enrolment` and the first code of the authenticator then enrols it and opens the session.',
  },
  finishSignIn: {
    body: { token: TOKEN, code: '287082' },
    description:
      'After a sign-in that was answered with 403 and `secondFactor`. The token is valid for five minutes and opens one session; it is no session itself. A code of RFC 6238 is accepted from 30 seconds before its time to 30 seconds after it, and once; a recovery code, once. Five wrong codes of a user lock the user out for up to 15 minutes. For pages of this service: `POST /v1/session` with `secondFactorToken`.',
  },
  getSecondFactor: { description: 'Only whether there is one; a secret is in no answer but that of its enrolment.' },
  beginEnrolment: {
    body: { password: 'a password that is long enough' },
    answers: { 200: BEGUN },
    description:
      'The secret counts once `POST /v1/second-factor` has received a code of it, within ten minutes. A user who signs in at the provider has no password here, and no second factor: it is asked for there.',
  },
  enrolSecondFactor: {
    body: { enrolment: ENROLMENT, code: '287082' },
    answers: { 201: { recoveryCodes: CODES } },
    description: 'The session of the request stays open. The recovery codes, ten, are in this answer alone.',
  },
  renewRecoveryCodes: {
    body: { code: '287082' },
    answers: { 201: { recoveryCodes: CODES } },
    description: 'By a code of the authenticator, or by one of the recovery codes that are left.',
  },
  removeSecondFactor: {
    body: { code: '287082' },
    description: 'To enrol another authenticator, remove this one first. A lost one is reset by an admin.',
  },
  requireSecondFactor: {
    body: { required: false },
    description:
      'Open sessions continue; a user without a second factor enrols one at the next sign-in with a password. Sign-ins at the provider of single sign-on are not asked: the provider asks for its own.',
  },
  resetSecondFactor: {
    description:
      'For a lost authenticator: the password alone signs in again, so make sure who asks. A link that sets a password does not do this.',
  },
};
