import { setTimeout as sleep } from 'node:timers/promises';
import { deleteGroups } from '#infra/consumer-groups.js';
import type { Toxic } from '#infra/processes/toxiproxy.js';
import { fsckClean } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { isRecorded } from '../torture/load.js';
import { onOwnServers, type ProxiedKafka } from './own-servers.js';
import { statuses, SteadyLoad, type TimedAttempt } from './steady-load.js';
import { late, settled, wrongRefusals } from './whole.js';

const DEADLINE_MS = 1000;
const BATCH = 12;

const env = (kafka: ProxiedKafka) => ({
  COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS),
  KAFKA_BROKERS: kafka.proxied?.brokers ?? '',
});

onOwnServers('acknowledgements of Kafka', { env }, (own) => {
  const attempts: TimedAttempt[] = [];
  let batches = 0;

  const proxy = (): string => own().kafka.proxied?.proxy ?? '';
  const poison = (type: Toxic['type'], attributes: Toxic['attributes']) =>
    own().kafka.toxiproxy.poison(proxy(), { name: 'answers', type, stream: 'downstream', attributes });
  const cure = () => own().kafka.toxiproxy.cure(proxy(), 'answers');
  /** Concurrent checks of one agent, all of the same size, for one partition. A single one is certainly one batch of the log. */
  const batch = async (size = BATCH): Promise<readonly TimedAttempt[]> => {
    const name = `batch${String(batches++).padStart(3, '0')}`;
    const sent = await Promise.all(
      Array.from({ length: size }, async (_, n) => {
        const marker = `${name}-${String(n).padStart(2, '0')}`;
        const sentAt = performance.now();
        const { status, headers, text } = await own().instance.check({
          type: 'http_call',
          metadata: { marker },
        });
        const eventId = headers['x-event-id'];
        return {
          ...{
            marker,
            agentId: own().instance.bootstrap.agentId,
            sentAt,
            tookMs: performance.now() - sentAt,
            status,
            text,
          },
          eventId: typeof eventId === 'string' ? eventId : null,
          retryAfter: headers['retry-after'] ?? null,
        };
      }),
    );
    attempts.push(...sent);
    return sent;
  };
  const works = () =>
    eventually('checks are answered', 30, async () => {
      return (await batch()).every(({ status }) => status === 200) ? true : null;
    });

  it('later than the deadline: refused in time, and reported as unanswered', async () => {
    const { instance, agentIds } = own();
    const load = new SteadyLoad(instance, { name: 'late', perSecond: 100, agentIds });
    await sleep(1000);
    await poison('latency', { latency: 1600 });
    await sleep(3000);
    await cure();
    await load.until(200, 20);
    await sleep(1000);
    const sent = await load.stop();
    attempts.push(...sent);

    expect(Object.keys(statuses(sent)).sort()).toEqual(['200', '503']);
    expect(sent.filter(({ status, eventId }) => status === 503 && eventId !== null).length).toBeGreaterThan(10);
    expect(wrongRefusals(attempts)).toEqual([]);
    expect(late(sent, DEADLINE_MS)).toEqual([]);
    expect((await settled(own().instance, own().session, attempts)).problems).toEqual([]);
  }, 90_000);

  it('missing once, then a batch of the same size: both are recorded once', async () => {
    await works();
    await poison('timeout', { timeout: 0 });
    const doubtful = await batch(1);
    await cure();
    expect(doubtful.map(({ status, eventId }) => [status, eventId !== null])).toEqual(doubtful.map(() => [503, true]));
    const next = await eventually('the next batch is answered', 30, async () => {
      const sent = await batch(1);
      return sent.every(({ status }) => status === 200) ? sent : null;
    });
    const { listed, problems } = await settled(own().instance, own().session, attempts);
    expect(problems).toEqual([]);
    const ids = [...doubtful, ...next].map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(2);
    const checked = listed.filter(({ type }) => type === 'action.checked').map(({ eventId }) => eventId);
    expect(ids.filter((id) => checked.filter((one) => one === id).length !== 1)).toEqual([]);
  }, 90_000);

  it('lost with their connection: sent again, recorded once', async () => {
    await works();
    await poison('timeout', { timeout: 50 });
    const cured = sleep(250).then(cure);
    const sent = await batch();
    await cured;
    await works();
    expect(late(sent, DEADLINE_MS)).toEqual([]);
    expect((await settled(own().instance, own().session, attempts)).problems).toEqual([]);
  }, 90_000);

  it('lost offsets of the groups: each continues from its own position', async () => {
    // In the log and not yet in the archive.
    const { instance, kafka, mongo, agentIds } = own();
    await mongo.kill();
    const behind = new SteadyLoad(instance, { name: 'behind', perSecond: 150, agentIds });
    await sleep(2000);
    const recorded = await behind.stop();
    attempts.push(...recorded);
    expect(recorded.filter(isRecorded).length).toBeGreaterThan(100);
    await instance.kill();
    const groups = await deleteGroups(kafka.brokers, instance.installation.env['COUNTERSIGN_KAFKA_TOPIC_PREFIX']!);
    expect(groups.filter((name) => name.endsWith('audit-log')).length).toBe(1);
    await mongo.restart();
    await own().startAgain();
    await works();
    expect((await settled(own().instance, own().session, attempts)).problems).toEqual([]);
  }, 120_000);

  it('leaves everything consistent', async () => {
    const { instance } = own();
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 90_000);
});
