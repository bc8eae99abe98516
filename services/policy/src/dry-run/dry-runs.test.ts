import { emptyProfile } from '@countersign/policy-engine';
import type { EventArchive } from '@countersign/contracts';
import { createLogger } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { AGENT } from '../policy.test-context.js';
import { archiveOf, record, START } from './dry-run.test-context.js';
import { DryRuns } from './dry-runs.js';

const profile = emptyProfile(AGENT);
const draft = { ...profile, off_limits_actions: ['wire'] };
const iso = (after: number): string => new Date(START + after).toISOString();

function dryRuns(times: { readonly from: string; readonly to: string } | null, asked: unknown[] = []): DryRuns {
  const events = record(
    profile,
    [1, 2, 3, 4].map((n) => ({ action: { type: n % 2 === 0 ? 'wire' : 'read' }, after: n * 1000 })),
  );
  const archive = {
    ...archiveOf(events),
    caughtUp: async () => undefined,
    newestChecks: async (agentId: string, count: number) => {
      asked.push([agentId, count]);
      return times;
    },
  } as unknown as EventArchive;
  const context = { peerNow: () => archive, eventLog: { endOffsets: async () => ({}) }, log: createLogger('silent') };
  return new DryRuns(context as unknown as ServiceContext);
}

describe('a dry run of the newest checks', () => {
  it('judges those that the archive names', async () => {
    const asked: unknown[] = [];
    const times = { from: iso(3000), to: iso(4001) };
    const answer = await dryRuns(times, asked).run({ agentId: AGENT, profile, draft }, { latest: 2 });
    expect(asked).toEqual([[AGENT, 2]]);
    expect(answer).toMatchObject({ range: times, checks: 2, evaluated: 2, flips: { toDenied: 1, toAllowed: 0 } });
  });

  it('judges none of an agent without checks', async () => {
    const answer = await dryRuns(null).run({ agentId: AGENT, profile, draft }, { latest: 2 });
    expect(answer).toMatchObject({ checks: 0, evaluated: 0, byRule: [] });
  });
});
