import type { SingleSignOnRefusal } from '@countersign/contracts';

/** Texts of the sign-in at a provider. */
export const singleSignOnWords = {
  submit: (label: string) => `Sign in with ${label}`,
  busy: 'Asking the provider…',
  /** By the reason in the address. */
  refusals: {
    cancelled: 'The sign-in was cancelled at the provider. Sign in again when you are ready.',
    'refused-by-provider':
      'The provider refuses this service. Its operator finds the reason in the log: usually the client, its secret or its redirect address.',
    stale: 'This sign-in was used, took longer than ten minutes, or began in another browser or tab. Sign in again.',
    issuer:
      'The answer is of another provider than the one that this service asks. Nothing was accepted: sign in again.',
    token: 'The answer of the provider is not valid. Sign in again; the operator finds the reason in the log.',
    email:
      'The provider names no verified e-mail address for you. Confirm your address there, or ask its administrator.',
    unknown: 'No user has your e-mail address here. Ask an admin of your account for an invitation.',
    subject:
      'Your e-mail address belongs to a user with another identity at the provider. Ask an admin of your account to remove that user and to invite you.',
    account: 'Your account does not sign in at this provider. Sign in with your password.',
    role: 'The provider gives you no role here. Ask its administrator for a group that has one.',
    'last-admin':
      'The provider gives you another role, and you are the last admin of the account. Another user must become admin first.',
    unavailable:
      'The sign-in could not be completed: the provider, or a part of this service, cannot be reached at the moment. Sign in again in a minute.',
  } satisfies Record<SingleSignOnRefusal, string>,
} as const;
