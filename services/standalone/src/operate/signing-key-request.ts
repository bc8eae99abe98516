import type { ListedSigningKey, SigningKeyOperator } from '@countersign/service-kit';

/** An operator's request about the signing keys, as sent to a running instance. */
export type SigningKeyRequest =
  | { readonly act: 'list' }
  | { readonly act: 'create' }
  /** `null`: the oldest published key, or a new one. */
  | { readonly act: 'rotate'; readonly keyId: string | null }
  | { readonly act: 'revoke'; readonly keyId: string; readonly reason: string };

export interface SigningKeyAnswer {
  /** The changed key; `null` if they were listed. */
  readonly keyId: string | null;
  readonly keys: readonly ListedSigningKey[];
}

/** @throws the operator's error for a change that cannot be made */
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
