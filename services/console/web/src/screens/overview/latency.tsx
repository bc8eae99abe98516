import type { ReactNode } from 'react';
import type { Role } from '@countersign/contracts';
import { useInstallation } from '../../api/installation.js';
import { Card } from '../../parts/page.js';
import { installationWords } from '../../words/installation.js';

const QUANTILES = [
  ['p50', 'p50Seconds'],
  ['p95', 'p95Seconds'],
  ['p99', 'p99Seconds'],
] as const;

/** How fast checks are answered, of the whole installation: for admins, where it shows its state. */
export function Latency({ role }: { readonly role: Role }): ReactNode {
  const { data, error } = useInstallation(role);
  const checks = data?.checks ?? null;
  if (role !== 'admin' || error !== null || checks === null || checks.count === 0) return null;
  return (
    <Card title={installationWords.latency} lead={installationWords.latencyLead(checks.count)}>
      <dl className="totals">
        {QUANTILES.map(([name, of]) => (
          <div key={name}>
            <dt>{installationWords.latencyNames[name]}</dt>
            <dd>{checks[of] === null ? '–' : installationWords.span(checks[of])}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
