import { fileURLToPath } from 'node:url';

/** The command-line program, run as its users run it. */
export const PROGRAM = fileURLToPath(new URL('../../../services/standalone/bin/countersign.js', import.meta.url));
