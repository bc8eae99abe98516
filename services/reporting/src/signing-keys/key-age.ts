import { Gauge, type Registry } from 'prom-client';
import type { SigningKeyFacts } from '@countersign/contracts';
import type { Projection } from '@countersign/topics';

/**
 * Publishes the age of the key that signs reports, in seconds since its `validFrom`. Without an active key there is no
 * sample: exports are refused then.
 */
export function observeKeyAge(
  registry: Registry,
  published: Pick<Projection<SigningKeyFacts>, 'values'>,
  clock: () => number,
): void {
  new Gauge({
    name: 'countersign_signing_key_age_seconds',
    help: 'Age of the key that signs reports',
    registers: [registry],
    collect() {
      const active = [...published.values()].find(({ value }) => value.status === 'active')?.value;
      if (active === undefined || active.validFrom === null) this.remove();
      else this.set(Math.max(0, (clock() - Date.parse(active.validFrom)) / 1000));
    },
  });
}
