import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Config } from '../configuration/config.js';

/** JSON lines on stderr, written at once: a crash loses none. Secrets that slip into an object are masked by key. */
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
