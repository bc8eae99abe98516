import type { SingleSignOnRefusal } from '@countersign/contracts';

/** The sign-in at the provider opens no session. The message is for the log. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  constructor(
    readonly reason: SingleSignOnRefusal,
    message: string,
  ) {
    super(message);
  }
}

/** The provider cannot be asked now. The message is for the log. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}
