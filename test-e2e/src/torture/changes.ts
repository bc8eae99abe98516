import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../instance/instance.js';
import type { Session } from './recorded.js';

/** Changes of the first agent during checks, and the last of each that was answered 200. */
export interface Changes {
  /** The highest answered version of the profile. */
  profileVersion: number;
  stop(): Promise<void>;
}

/** Changes the profile and freezes and unfreezes the agent, sequentially, until stopped or without an answer. */
export function startChanges(instance: Instance, session: Session): Changes {
  const { agentId } = instance.bootstrap;
  let stopped = false;
  const changes: Changes = {
    profileVersion: 0,
    async stop() {
      stopped = true;
      await running;
    },
  };
  const post = (what: 'freeze' | 'unfreeze') =>
    instance.request('POST', `/v1/agents/${agentId}/${what}`, { headers: session, body: {} });
  const run = async (): Promise<void> => {
    for (let n = 1; !stopped; n += 1) {
      const body = { spending_limit: 1000 + n, blocked_apis: [`n${n}.example.net`] };
      const { status, json } = await instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
        headers: session,
        body,
      });
      if (status === 200) changes.profileVersion = (json as { version: number }).version;
      if (n % 3 === 0) {
        await post('freeze');
        await post('unfreeze');
      }
      await sleep(20);
    }
  };
  // A change without an answer is ignored: the instance was killed.
  const running = run().catch(() => undefined);
  return changes;
}
