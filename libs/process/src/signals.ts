import type { Logger } from 'pino';

/** Errors whose message is the whole explanation: no stack is printed. */
const EXPLAINED = new Set([
  'AddressInUse',
  'AuthorityKeyDamaged',
  'AuthorityKeyMissing',
  'BootstrapDamaged',
  'ConfigurationError',
  'DataDirectoryUnusable',
  'InstanceRunning',
  'LedgerDamaged',
  'LedgerLocked',
  'LogDamaged',
  'NetworkNotBuilt',
  'RestoreRefused',
  'SignerRefused',
  'SigningKeyDamaged',
  'SigningKeyLocked',
  'SigningKeyMissing',
  'StoreDamaged',
  'StoreForgot',
  'TopicDiffers',
]);

/** One line for a person where the error explains itself, else its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return EXPLAINED.has(error.name) ? error.message : (error.stack ?? error.message);
}

/** A signal that follows this soon is the same one: npm hands on the Ctrl-C that the terminal sent to both, ms. */
const SAME_SIGNAL_MS = 500;

/** So long an orderly end may take: less than orchestrators wait before they kill (deploy/helm, docker-compose.yml), ms. */
const STOPS_WITHIN_MS = 40_000;

/**
 * Ends the process by what `stop` does: on the first SIGINT or SIGTERM, with 0; a second one ends it at once with 1, and
 * so does a stop that takes longer than 40 s, which is logged: what was answered is in the log all the same.
 * An error that nobody caught is logged and ends it at once with 1: what is durable is durable.
 */
export function endOnSignals(
  log: Pick<Logger, 'warn' | 'fatal'>,
  stop: (signal: NodeJS.Signals) => Promise<void>,
  stopsWithinMs = STOPS_WITHIN_MS,
): void {
  let stoppingSince: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
      log.warn({ signal }, 'ended at once by a second signal');
      process.exit(1);
    }
    stoppingSince = performance.now();
    setTimeout(() => {
      log.fatal({ seconds: stopsWithinMs / 1000 }, 'did not stop in time: ended as it is');
      process.exit(1);
    }, stopsWithinMs);
    stop(signal).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const onUncaught = (error: unknown): void => {
    log.fatal({ err: error }, 'an error that nobody caught ends the process');
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
}
