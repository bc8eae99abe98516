import { resolve } from 'node:path';
import type { Config } from './config.js';

/** Variables of the certificate of the public address, as they were read. */
export interface ServerTlsValues {
  readonly COUNTERSIGN_TLS_CERT_FILE?: string | null;
  readonly COUNTERSIGN_TLS_KEY_FILE?: string | null;
}

const VARIABLES = ['COUNTERSIGN_TLS_CERT_FILE', 'COUNTERSIGN_TLS_KEY_FILE'] as const;

/** Builds the paths from their variables, without reading files. */
export function tlsFiles(values: ServerTlsValues): Config['tls'] {
  const { COUNTERSIGN_TLS_CERT_FILE: certFile, COUNTERSIGN_TLS_KEY_FILE: keyFile } = values;
  return certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : null;
}

/** Returns a line for a variable that is missing next to the other. */
export function tlsProblems(values: ServerTlsValues): readonly string[] {
  const set = VARIABLES.filter((name) => values[name]);
  if (set.length !== 1) return [];
  return VARIABLES.filter((name) => !values[name]).map((name) => `${name} is missing: ${set[0]} needs it`);
}

/** Returns a line for each variable that has no effect in the distributed profile, whose edge proxy has the certificate. */
export function unusedWhenDistributed(values: ServerTlsValues): readonly string[] {
  return VARIABLES.filter((name) => values[name]).map(
    (name) => `${name} is for the embedded profile: set the certificate at the edge proxy`,
  );
}
