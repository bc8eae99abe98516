import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** What Nest says, in our log: its news is `trace`, its problems stay problems. */
export function nestLogger(log: Logger): LoggerService {
  const words = (message: unknown): string => (message instanceof Error ? message.message : String(message));
  return {
    log: (message: unknown) => log.trace(words(message)),
    verbose: (message: unknown) => log.trace(words(message)),
    debug: (message: unknown) => log.trace(words(message)),
    warn: (message: unknown) => log.warn(words(message)),
    error: (message: unknown, ...details: unknown[]) => log.error({ details }, words(message)),
    fatal: (message: unknown, ...details: unknown[]) => log.fatal({ details }, words(message)),
  };
}
