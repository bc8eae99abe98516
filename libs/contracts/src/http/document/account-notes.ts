import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const EXAMPLE_TOKEN = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_';
const TRUSTED_ISSUER = {
  id: '2f6f0a6b-92c1-4f6e-8d2e-6f0c1b7a9e35',
  issuer: 'https://login.example.com',
  jwksUri: 'https://login.example.com/.well-known/jwks.json',
  audience: 'https://countersign.example.com',
  claims: { agent: null, principal: 'sub', session: 'sid' },
  agentIds: null,
  required: false,
  createdAt: EXAMPLE.at,
} as const;

const SECOND_FACTOR_NEEDED = {
  error: 'a code of the second factor is needed',
  secondFactor: { token: 'c2VhbGVk', expiresAt: '2026-03-01T09:35:00.000Z', step: 'code' },
} as const;

/** Sign-in, users, keys and the plan. */
export const ACCOUNT_NOTES: OperationNotes = {
  logIn: {
    body: { email: 'ana@example.com', password: 'a password that is long enough' },
    description:
      'E-mail address and password of the first user are in `bootstrap.json`. Send the `token` as `Authorization: Bearer`; on this page, paste it under Authorize as `session`. After several failures the answer is 429 for some time. A user with a second factor gets 403 with `secondFactor`, and continues with `POST /v1/auth/second-factor`; all others get the session at once.',
    answers: { 403: SECOND_FACTOR_NEEDED },
  },
  logOut: { description: 'Ends this session only; other sessions of the user stay valid.' },
  openSession: {
    answers: { 403: SECOND_FACTOR_NEEDED },
    bodies: {
      password: {
        summary: 'Address and password',
        value: { email: 'ana@example.com', password: 'a password that is long enough' },
      },
      link: {
        summary: 'The token of a link that signs in once, as `npx countersign console` prints it',
        value: { oneTimeToken: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG' },
      },
      code: {
        summary: 'The second step, after an answer with `secondFactor`',
        value: { secondFactorToken: 'the token of the first step', code: '287082' },
      },
    },
    description:
      'For the page `/console`: programs use `POST /v1/auth/login`. The request must come from a page of this service (`Sec-Fetch-Site: same-origin`, or its `Origin`) with `x-countersign-console: 1`, and address this machine or the host of an https `COUNTERSIGN_PUBLIC_URL`. Routes for people then accept the cookie in place of `Authorization`, under the same conditions; `GET` needs no `x-countersign-console`. If `Authorization` is sent, the cookie is not read.',
  },
  getSession: { description: 'The session that the request carries, as cookie or as `Authorization: Bearer`.' },
  closeSession: { description: 'Ends this session only, like `POST /v1/auth/logout`.' },
  register: {
    body: { email: 'ana@example.com', password: 'a password that is long enough', accountName: 'Example Ltd' },
    description:
      'The answer is that of a sign-in. If registration is closed (`COUNTERSIGN_OPEN_REGISTRATION=false`) it is 404.',
  },
  confirmRegistration: {
    body: { token: 'the token of the mail' },
    description:
      'Creates the account and signs in, as `register` does without a mail server. A token is valid for the time that the e-mail names, and for one account.',
  },
  getSignInMethods: {
    description: 'Passwords are always offered; `singleSignOn` is null where no provider is set up.',
  },
  startSingleSignOn: {
    description:
      'For a browser, which keeps a cookie for ten minutes and comes back to `/v1/auth/oidc/callback` with it. The description and the keys of the provider are read under the rules of webhook addresses.',
  },
  finishSingleSignOn: {
    description:
      'For the browser that was sent to the provider. `state`, `nonce`, issuer, audience, signature and times of the ID token are checked. At the first sign-in the user is the one with the verified e-mail address, from then on the one with issuer and `sub`; it ends the sessions, the password and the second factor from before. Where roles are set by a claim, the role is that of the claim; without one, the open sessions of the user end and there is no new one. While the provider, the store or the log cannot be reached, the browser is sent to `#/single-sign-on/unavailable`.',
  },
  changePassword: {
    body: { currentPassword: 'a password that is long enough', newPassword: 'another password that is long enough' },
    description:
      'Sessions that others opened with the old password end at once. A wrong current password counts, and is recorded, as a failed sign-in.',
  },
  setPasswordByLink: {
    body: { token: EXAMPLE_TOKEN, newPassword: 'another password that is long enough' },
    description:
      'The token ends the address of the link, after `/password/`. A link works once, and a newer one replaces it. Wrong tokens count as failed sign-ins of the IP.',
  },
  forgotPassword: {
    body: { email: 'ana@example.com' },
    description:
      'For sign-in pages. Nothing about the address is disclosed, neither by the answer nor by its time. At most 10 in 15 minutes for an address.',
  },
  makePasswordLink: {
    description:
      'With a mail server (`SMTP_URL`) the link is sent to the user and in no answer; without one it is in this answer alone, to hand over. It is valid for a day, for an invited user for seven. The password stays as it is until the link is used.',
  },
  invite: {
    body: { email: 'ben@example.com', role: 'auditor' },
    description:
      'As for `POST /v1/users/{id}/password-link`: no admin chooses or learns the password. Until it is set, the user has `invited: true`, cannot sign in, and does not count as an admin of the account. An invitation ends with the user: `DELETE /v1/users/{id}`.',
  },
  listSessions: { description: 'Revoked and expired ones are not listed. A session lasts 12 hours.' },
  endSession: { description: 'Takes effect at once, on every gateway. `logout` ends the session of the request.' },
  listUsers: { description: 'The users of the account with their roles.' },
  createUser: {
    body: { email: 'ben@example.com', role: 'auditor', password: 'a password that is long enough' },
    description: 'Roles: `auditor` reads, `member` also changes agents, `admin` may do everything.',
  },
  updateUser: { body: { role: 'member' }, description: 'The account always keeps one admin.' },
  deleteUser: { description: 'Takes effect at once and cannot be undone. The account always keeps one admin.' },
  listApiKeys: { description: 'With the prefix of each key and the time of its last use; never the key itself.' },
  createApiKey: {
    body: {
      name: 'order desk, production',
      agentIds: ['0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77'],
      rights: ['check', 'outcome', 'scan'],
      expiresAt: '2100-01-01T00:00:00.000Z',
    },
    description:
      'Give each program a key of its own, bound to its agents, so that it can be revoked without the others and cannot act as another program’s agent. Without `rights` a key has `check`, `outcome` and `scan`; `register`, `read` and `policy` have to be named. No key that is issued here is `first`, regardless of its rights: checks of an agent that a key registered need a key that names it. An agent id that the account does not have is not an error: the key is never valid for it. `key` is only in this answer.',
  },
  revokeApiKey: { description: 'Cannot be undone. The answer is 204 also if the key was revoked before.' },
  listTrustedIssuers: {
    answers: { 200: { trustedIssuers: [TRUSTED_ISSUER] } },
    description: 'The API key of a check says which program asks; a token in `X-Subject-Token` says on whose behalf.',
  },
  createTrustedIssuer: {
    body: {
      issuer: TRUSTED_ISSUER.issuer,
      jwksUri: TRUSTED_ISSUER.jwksUri,
      audience: TRUSTED_ISSUER.audience,
      claims: { session: 'sid' },
    },
    answers: { 201: TRUSTED_ISSUER },
    description:
      'Tokens are JWT access tokens (RFC 9068: `typ` is `at+jwt`), signed with an asymmetric key of the issuer; a clock may be wrong by up to 60 seconds. The key set is read when it is needed, and kept for ten minutes. What a token says is committed with the verdict as `principal`, `issuer` and `actors`, and rules read these.',
  },
  deleteTrustedIssuer: {
    description:
      'Where it was `required`, its agents may check without a token from now on. Recorded checks stay as they are.',
  },
  getDefaultProfile: {
    description: 'If it is `null`, such an agent starts with everything denied that is denied to any agent of the key.',
  },
  putDefaultProfile: {
    body: { allowed_apis: ['api.example.com'], spending_limit: 100 },
    description:
      'Fields as in `PATCH /v1/agents/{id}/profile`; the whole default is replaced. It applies to agents that are registered later by an API key or a model, and to no others.',
  },
  getAccount: { description: 'The limits of the plan, the usage, and the time at which counting restarts.' },
};
