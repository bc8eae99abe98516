import type { LoadGenerator } from '../load/load-generator.js';
import type { Countersign } from '../subjects/countersign.js';
import { catchUp, followed } from '../subjects/followers.js';
import { checkRequests } from '../subjects/requests.js';
import { makeAgents } from '../throughput/subjects.js';

const CONNECTIONS = 64;
/** Checks per load: the followers catch up before the next one. */
const PORTION = 50_000;
const LONGEST_SECONDS = 300;

/**
 * Sends checks until this many are stored, and waits until all are listed and anchored.
 * @param agents by turns; absent: new ones whose checks are allowed
 */
export async function seed(
  instance: Countersign,
  generator: LoadGenerator,
  events: number,
  progress: (stored: number) => void,
  agents?: readonly string[],
): Promise<void> {
  const agentIds = agents ?? (await makeAgents(instance));
  const session = await instance.session();
  const { hostname: host, port } = new URL(instance.bootstrap.baseUrl);
  const target = { host, port: Number(port), requests: checkRequests({ ...instance.bootstrap, agentIds }) };
  let { checks: stored } = await followed(instance, session);
  while (stored < events) {
    const { answered, failures } = await generator.run({
      target,
      load: { kind: 'closed', connections: CONNECTIONS },
      seconds: LONGEST_SECONDS,
      maxRequests: Math.min(PORTION, events - stored),
    });
    if (answered === 0) throw new Error(`no check was answered: ${JSON.stringify(failures)}`);
    const unanswered = Object.values(failures).reduce((sum, count) => sum + count, 0);
    const expected = { answered: stored + answered, unanswered };
    ({ checks: stored } = await catchUp(instance, session, expected, LONGEST_SECONDS));
    progress(stored);
  }
}
