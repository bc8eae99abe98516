import { messageOf } from '@countersign/async';
import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes Nest's messages to the service's log: information as `trace`, warnings and errors unchanged. */
export function nestLogger(log: Logger): LoggerService {
  return {
    log: (message: unknown) => log.trace(messageOf(message)),
    verbose: (message: unknown) => log.trace(messageOf(message)),
    debug: (message: unknown) => log.trace(messageOf(message)),
    warn: (message: unknown) => log.warn(messageOf(message)),
    error: (message: unknown, ...details: unknown[]) => log.error({ details }, messageOf(message)),
    fatal: (message: unknown, ...details: unknown[]) => log.fatal({ details }, messageOf(message)),
  };
}
