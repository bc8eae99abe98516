import { SINGLE_SIGN_ON_REFUSALS } from '@countersign/contracts';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

export type RefusalCounter = Counter<'reason'>;

/** Counts sign-ins at the provider that open no session. Each reason begins at 0, also where no provider is set up. */
export function refusalCounter(metrics: Registry): RefusalCounter {
  const counter = new Counter({
    name: 'countersign_single_sign_on_refused_total',
    help: 'Sign-ins at the provider that opened no session, by reason; unavailable: also starts',
    labelNames: ['reason'],
    registers: [metrics],
  });
  for (const reason of SINGLE_SIGN_ON_REFUSALS) counter.inc({ reason }, 0);
  return counter;
}
