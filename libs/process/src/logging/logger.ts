import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Config } from '../configuration/config.js';

/** Logs JSON lines to stderr, synchronously, so that a crash loses none. Known secret members of objects are masked. */
export function createLogger(level: Config['logLevel'], bindings: Readonly<Record<string, string>> = {}): Logger {
  return pino(
    {
      level,
      base: { ...bindings },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['*.password', '*.apiKey', '*.token', '*.secret', '*.authorization', '*["x-service-key"]'],
        censor: '[masked]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
