import { resolve } from 'node:path';
import type { Config } from './config.js';

/** Variables of the storage of signing keys, as they were read. */
export interface SigningKeyValues {
  readonly COUNTERSIGN_SIGNING_PASSPHRASE?: string | null;
  readonly COUNTERSIGN_SIGNING_PASSPHRASE_FILE?: string | null;
  readonly COUNTERSIGN_SIGNER_URL?: string | null;
  readonly COUNTERSIGN_SIGNER_TOKEN_FILE?: string | null;
}

/** Builds the access from its variables, without reading files. */
export function signingKeyAccess({
  COUNTERSIGN_SIGNING_PASSPHRASE: text,
  COUNTERSIGN_SIGNING_PASSPHRASE_FILE: file,
  COUNTERSIGN_SIGNER_URL: url,
  COUNTERSIGN_SIGNER_TOKEN_FILE: tokenFile,
}: SigningKeyValues): Pick<Config, 'signingPassphrase' | 'signer'> {
  return {
    signingPassphrase: file ? { file: resolve(file) } : text ? { text } : null,
    signer: url ? { url, tokenFile: tokenFile ? resolve(tokenFile) : null } : null,
  };
}

/** Returns a line for each variable that contradicts another or lacks one that it needs. */
export function signingKeyProblems(values: SigningKeyValues): readonly string[] {
  const problems: string[] = [];
  if (values.COUNTERSIGN_SIGNING_PASSPHRASE && values.COUNTERSIGN_SIGNING_PASSPHRASE_FILE) {
    problems.push('COUNTERSIGN_SIGNING_PASSPHRASE_FILE must not be set beside COUNTERSIGN_SIGNING_PASSPHRASE');
  }
  if (values.COUNTERSIGN_SIGNER_TOKEN_FILE && !values.COUNTERSIGN_SIGNER_URL) {
    problems.push('COUNTERSIGN_SIGNER_URL is missing: COUNTERSIGN_SIGNER_TOKEN_FILE needs it');
  }
  return problems;
}
