import type { ApiKeyFacts, ApprovalFacts } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { newestRecords, Projection, TopicTail } from '@countersign/topics';
import type { Announcer } from '@countersign/topics';
import { approvalFacts, recordVersion, wasDecided } from '../domain/approval.js';
import type { PolicyStore } from '../store/port.js';
import { ApprovalSweep } from './approval-sweep.js';
import { recordOf } from './approval-write.js';
import { Approvals } from './approvals.js';

export interface OpenedApprovals {
  readonly approvals: Approvals;
  /** Why no decision can be taken, or `null`. */
  problem(): string | null;
  stop(): Promise<void>;
}

type Issuer = Pick<ApiKeyFacts, 'createdBy'>;

/**
 * Opens what people decide with, and begins to end approvals whose time is over.
 * @param agreed resolves when the store has all that its topics have; where it rejects, nothing is ended
 */
export async function openApprovals(
  context: ServiceContext,
  store: PolicyStore,
  announcer: Pick<Announcer, 'announce'>,
  agreed: Promise<void>,
): Promise<OpenedApprovals> {
  const apiKeys = await Projection.follow<ApiKeyFacts, Issuer>(context, 'api-keys', {
    keep: ({ createdBy }) => (createdBy === undefined ? {} : { createdBy }),
  });
  const approvals = new Approvals(context, store, announcer, apiKeys);
  const sweep = new ApprovalSweep(context, store, (approval) => {
    approvals.waits.changed(approval);
    announcer.announce().catch(() => undefined);
  });
  const started = agreed.then(() => publishMissing(context, store));
  started.then(
    () => sweep.start(),
    (err: unknown) => context.log.error({ err }, 'approvals are not ended'),
  );
  // With a single writer, the order of the topic is that of the changes.
  const tail =
    context.config.profile === 'embedded'
      ? null
      : await TopicTail.follow(context, 'approvals', async (id) => {
          const stored = await store.approvals.find(id);
          if (stored === null) return null;
          const value = approvalFacts(stored.approval);
          return value === null ? null : { id, version: recordVersion(stored.approval), value };
        });
  return {
    approvals,
    problem: () => apiKeys.problem(),
    async stop() {
      approvals.waits.stop();
      await started.catch(() => undefined);
      await sweep.stop();
      await tail?.stop();
      await apiKeys.stop();
    },
  };
}

/** Publishes decisions that the topic lacks: it may have been lost. */
async function publishMissing({ eventLog }: Pick<ServiceContext, 'eventLog'>, store: PolicyStore): Promise<void> {
  let published: ReadonlyMap<string, { readonly version: number }> | null = null;
  for await (const approval of store.approvals.all()) {
    if (approval.isOver || !wasDecided(approval)) continue;
    published ??= await newestRecords<ApprovalFacts>(eventLog, 'approvals');
    if (!published.has(approval.id)) await eventLog.append(recordOf(approval));
  }
}
