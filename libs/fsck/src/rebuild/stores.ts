import type { StoreName } from '../layout.js';
import type { RebuildTools } from './rebuild-tools.js';

/** A store that holds nothing that the log and its topics do not hold. */
export interface Projection {
  readonly name: 'anchors' | 'archive' | 'policy' | 'facts';
  /** Rebuilds it with these tools. Gives the losses, for the operator to read. */
  rebuild(tools: RebuildTools): Promise<readonly string[]>;
}

/** In the order in which they are made: anchoring shows whether the log is the one that was anchored. */
export const PROJECTIONS: readonly Projection[] = [
  {
    name: 'anchors',
    async rebuild({ context, progress }) {
      const { restoreFromTopics } = await import('@countersign/anchoring');
      return (await restoreFromTopics(context, { dryRun: false, progress })).lost;
    },
  },
  {
    name: 'archive',
    async rebuild({ context, older, progress }) {
      const { rebuildFromTopics } = await import('@countersign/audit-log');
      await rebuildFromTopics(context, older(), progress);
      return [];
    },
  },
  {
    name: 'policy',
    async rebuild({ context, progress }) {
      const { restoreFromTopics } = await import('@countersign/policy');
      return (await restoreFromTopics(context, { dryRun: false, progress })).lost;
    },
  },
  {
    name: 'facts',
    async rebuild({ context }) {
      const { rebuildFromTopics } = await import('@countersign/verification');
      await rebuildFromTopics(context);
      return [];
    },
  },
];

/** Stores that own what they hold, and what of it no topic has. */
export const OWNERS: Readonly<Partial<Record<StoreName, string>>> = {
  identity: 'users, their roles and passwords',
  reports: 'reports, whose packages no topic has',
  alerts: 'destinations of alerts, deliveries to them, and streams',
};
