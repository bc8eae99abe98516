import type { Logger } from 'pino';

/** Errors whose message is a full explanation: no stack is printed. */
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

/** Returns the message of an error that explains itself, else its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return EXPLAINED.has(error.name) ? error.message : (error.stack ?? error.message);
}

/** A signal within this time is the same one, ms: npm forwards the Ctrl-C that the terminal has sent to both. */
const SAME_SIGNAL_MS = 500;

/** Timeout of an orderly stop, ms: shorter than orchestrators wait before they kill (deploy/helm, docker-compose.yml). */
const STOPS_WITHIN_MS = 40_000;

/**
 * Ends the process on signals. The first SIGINT or SIGTERM calls `stop` and exits with 0. A second one exits with 1 at once,
 * as does a stop that takes longer than 40 s, which is logged; everything that was answered is in the event log anyway. An
 * uncaught error is logged and exits with 1 at once.
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
    log.fatal({ err: error }, 'an uncaught error ends the process');
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
}
