import type { ListedSigningKey, SigningKeyOperator } from '@countersign/service-kit';

/** What an operator asks of the signing keys, as it is sent to a running instance. */
export type SigningKeyRequest =
  | { readonly act: 'list' }
  | { readonly act: 'create' }
  /** `null`: the key that waits longest, or a new one. */
  | { readonly act: 'rotate'; readonly keyId: string | null }
  | { readonly act: 'revoke'; readonly keyId: string; readonly reason: string };

export interface SigningKeyAnswer {
  /** The key that was changed; `null` where they were listed. */
  readonly keyId: string | null;
  readonly keys: readonly ListedSigningKey[];
}

/** @throws what the operator says of a change that cannot be made */
export async function answerKeys(operator: SigningKeyOperator, request: SigningKeyRequest): Promise<SigningKeyAnswer> {
  switch (request.act) {
    case 'list':
      return { keyId: null, keys: await operator.list() };
    case 'create':
      return operator.create();
    case 'rotate':
      return operator.rotate(request.keyId);
    case 'revoke':
      return operator.revoke(request.keyId, request.reason);
  }
}
