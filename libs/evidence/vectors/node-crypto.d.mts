export declare const nodeCrypto: {
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly ed25519Verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
};
export declare function seededKey(seed: Uint8Array): {
  readonly publicKey: Uint8Array;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
};
