import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually, type Answer } from '../instance/request.js';

const KEYS = 20;
const TWINS = 5;

interface Listed {
  readonly eventId: string;
  readonly type: string;
}

onEachProfile('an Idempotency-Key over SIGKILL', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance?.discard());

  const ask = (agentId: string, key: string): Promise<Answer | null> =>
    instance
      .check({ type: 'pay', estimatedCost: 1 }, { agentId, headers: { 'idempotency-key': key } })
      .catch(() => null);

  /** Restarts it and repeats every key until each is answered, like its callers. */
  async function repeated(agentId: string, keys: readonly string[]): Promise<readonly Answer[]> {
    return Promise.all(
      keys.map((key) =>
        eventually(`an answer to ${key}`, 60, async () => {
          const answer = await ask(agentId, key);
          return answer?.status === 200 ? answer : null;
        }),
      ),
    );
  }

  async function checksOf(agentId: string): Promise<readonly string[]> {
    const path = `/v1/events?agentId=${agentId}&type=action.checked&limit=1000`;
    const { json } = await instance.request('GET', path, { headers: session });
    return (json as { events: readonly Listed[] }).events.map(({ eventId }) => eventId);
  }

  it('has one answer and one event, whatever its duplicates were answered before', async () => {
    const agentId = await newAgent(instance, session, { spending_limit: KEYS, spending_window: 'month' });
    const keys = Array.from({ length: KEYS }, () => randomUUID());
    const first = keys.flatMap((key) => Array.from({ length: TWINS }, () => ask(agentId, key)));
    await sleep(5 + Math.random() * 60);
    await instance.kill();
    const before = await Promise.all(first);
    instance = await instance.startAgain();
    const after = await repeated(agentId, keys);

    // The limit allows as many actions as there are keys: a key that was counted twice leads to a denial.
    expect(after.map(({ text }) => text)).toEqual(keys.map(() => '{"allowed":true}'));
    const ids = after.map(({ headers }) => String(headers['x-event-id']));
    expect(new Set(ids).size).toBe(KEYS);
    for (const [n, answer] of before.entries()) {
      if (answer?.status !== 200) continue;
      expect(answer.headers['x-event-id']).toBe(ids[Math.floor(n / TWINS)]);
    }
    const listed = await eventually('each key has its event in the list', 60, async () => {
      const found = await checksOf(agentId);
      return ids.every((id) => found.includes(id)) ? found : null;
    });
    expect(listed.toSorted()).toEqual(ids.toSorted());
  }, 240_000);
});
