import { CountersUnavailable, type Counters } from '@countersign/counters';
import type { Check } from '../report.js';
import type { Totals } from '../usage-sums.js';

/**
 * No account's counter is below what its checks in the log add up to. Above it may be: a check that was counted and whose
 * gateway died before the log had it is counted until the counters are rebuilt.
 */
export async function checkCounters(
  open: () => Promise<Counters>,
  accounts: ReadonlyMap<string, Totals>,
  check: Check,
): Promise<void> {
  let above = 0;
  let counters: Counters | null = null;
  try {
    counters = await open();
    for (const [accountId, { period, inPeriod, ever }] of accounts) {
      const usage = await counters.usage(accountId);
      check.examined += 1;
      const compare = (name: string, counted: number, logged: number): void => {
        if (counted < logged) check.wrong(`Redis account ${accountId}`, `${name} is ${counted}, the log has ${logged}`);
        above += Math.max(0, counted - logged);
      };
      compare('actionsEver', usage.actionsEver, ever);
      if (usage.period === period) compare('actionsInPeriod', usage.actionsInPeriod, inPeriod);
    }
  } catch (error) {
    if (!(error instanceof CountersUnavailable)) throw error;
    check.skip(`they do not serve: ${error.message}`);
  } finally {
    await counters?.close();
  }
  if (above > 0) check.note(`they count more than the log has, by ${above} in all: a rebuild ends that`);
}
