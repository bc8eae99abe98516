import type { OperationNotes } from './operation-note.js';

/** Sign-in, people, keys and the plan. */
export const ACCOUNT_NOTES: OperationNotes = {
  logIn: {
    body: { email: 'ana@example.com', password: 'a password that is long enough' },
    description:
      'Address and password of the first user are in `bootstrap.json`. Send the `token` as `Authorization: Bearer`; on this page, paste it under Authorize as `session`. After several failures it is 429 for a while.',
  },
  logOut: { description: 'For this session alone; others of the same user go on.' },
  register: {
    body: { email: 'ana@example.com', password: 'a password that is long enough', accountName: 'Example Ltd' },
    description:
      'The answer is that of a sign-in. Where registration is closed (`COUNTERSIGN_OPEN_REGISTRATION=false`) it is 404.',
  },
  confirmRegistration: {
    body: { token: 'the token of the mail' },
    description:
      'Makes the account and signs in, as `register` does where there is no mail server. A token holds for as long as the mail says, and for one account.',
  },
  changePassword: {
    body: { currentPassword: 'a password that is long enough', newPassword: 'another password that is long enough' },
    description:
      'A session that somebody else opened with the old password ends at once. Wrong current passwords count as failed sign-ins do.',
  },
  listUsers: { description: 'Who may sign in, and as what.' },
  createUser: {
    body: { email: 'ben@example.com', role: 'auditor', password: 'a password that is long enough' },
    description: 'Roles: `auditor` reads, `member` also changes agents, `admin` does everything.',
  },
  updateUser: { body: { role: 'member' }, description: 'The account always keeps one admin.' },
  deleteUser: { description: 'At once, and for good. The account always keeps one admin.' },
  listApiKeys: { description: 'With the beginning of each key, and when it was last used; never the key itself.' },
  createApiKey: {
    body: {
      name: 'order desk, production',
      agentIds: ['0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77'],
      rights: ['check', 'outcome', 'scan'],
      expiresAt: '2100-01-01T00:00:00.000Z',
    },
    description:
      'Give each program a key of its own, bound to its agents, so that one can be revoked without the others and none acts as another’s agent. Without `rights` a key may `check`, report an `outcome` and `scan`; `register`, `read` and `policy` are given by name. No key that is issued here is `first`, with whatever rights: an agent that a key registered is checked only by keys that name it. An agent that the account does not have is no error: the key never works for it. `key` is in this answer alone.',
  },
  revokeApiKey: { description: 'Cannot be undone. Also when it was revoked before, it is 204.' },
  getDefaultProfile: {
    description: 'Where it is `null`, such an agent begins with what any agent of the key is denied.',
  },
  putDefaultProfile: {
    body: { allowed_apis: ['api.example.com'], spending_limit: 100 },
    description:
      'Fields as `PATCH /v1/agents/{id}/profile` takes them; the whole default is replaced. It holds for agents that are registered from then on by an API key or a model, and for no other.',
  },
  getAccount: { description: 'What the plan allows, what was used of it, and when the count begins anew.' },
};
