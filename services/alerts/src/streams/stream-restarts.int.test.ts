import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectStore } from '../testing/object-store.js';
import { Receiver } from '../testing/receiver.js';
import { StreamProcess, until } from '../testing/stream-process.js';
import { SyslogReceiver } from '../testing/syslog-receiver.js';
import { TestAuthority } from '../testing/test-authority.js';

/** A larger number is for a run by hand: `COUNTERSIGN_TEST_STREAM_EVENTS=100000`. */
const MANY = Number(process.env['COUNTERSIGN_TEST_STREAM_EVENTS'] ?? 3_000);

/** A receiver that keeps its events while it is stopped and started. */
interface Restarted {
  /** `host:port` */
  readonly host: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Body of the request that creates its stream, once it has started. */
  readonly stream: () => object;
  /** Ids of the events that it has, each as often as it was received. */
  readonly ids: () => readonly string[];
}

const idOf = (line: string): string => (JSON.parse(line) as { event: { id: string } }).event.id;

function https(): Restarted {
  const receiver = new Receiver();
  return {
    get host() {
      return new URL(receiver.origin).host;
    },
    start: () => receiver.start(),
    stop: () => receiver.stop(),
    stream: () => ({ kind: 'https', url: `${receiver.origin}/in` }),
    ids: () => receiver.accepted.flatMap(({ body }) => body.trimEnd().split('\n').map(idOf)),
  };
}

function syslog(): Restarted {
  const folder = mkdtempSync(join(tmpdir(), 'syslog-'));
  const authority = new TestAuthority(folder, 'authority');
  const receiver = new SyslogReceiver(authority.issue('server', 'IP:127.0.0.1'));
  rmSync(folder, { recursive: true });
  return {
    get host() {
      return receiver.host;
    },
    start: () => receiver.start(),
    stop: () => receiver.stop(),
    stream: () => ({ kind: 'syslog', url: `tls://${receiver.host}`, credentials: { ca: authority.cert } }),
    ids: () => receiver.messages.map(({ text }) => idOf(text)),
  };
}

function s3(): Restarted {
  const key = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const store = new ObjectStore('archive', 'eu-central-1', key);
  const settings = { bucket: 'archive', region: 'eu-central-1', lock: { mode: 'COMPLIANCE', days: 1 }, gzip: true };
  return {
    get host() {
      return new URL(store.origin).host;
    },
    start: () => store.start(),
    stop: () => store.stop(),
    stream: () => ({ kind: 's3', url: store.origin, settings, credentials: key }),
    ids: () => store.lines().map(idOf),
  };
}

describe.each<[string, () => Restarted]>([
  ['https', https],
  ['syslog', syslog],
  ['s3', s3],
])('a stream of the kind %s', (kind, receiverOf) => {
  const service = new StreamProcess();
  const receiver = receiverOf();

  beforeAll(async () => {
    await receiver.start();
    await service.start([receiver.host]);
  });
  afterAll(async () => {
    await service.discard();
    await receiver.stop();
  });

  it('misses none of many events while the receiver and the service restart', async () => {
    const id = await service.made({ ...receiver.stream(), format: 'ecs' });
    const [one, two] = [service.newAgent(), service.newAgent()];
    const ids: string[] = [];
    let isOver = false;
    const restarts = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, 150 + 100 * (n % 3)));
        await receiver.stop();
        await new Promise((resolve) => setTimeout(resolve, 50));
        await receiver.start();
      }
    })();
    for (let batch = 0; batch < 10; batch += 1) {
      ids.push(...(await service.happen(one, MANY / 20)), ...(await service.happen(two, MANY / 20)));
      if (batch % 4 === 1) {
        await service.stop();
        await service.start([receiver.host]);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    isOver = true;
    await restarts;
    const missing = (): readonly string[] => {
      const there = new Set(receiver.ids());
      return ids.filter((each) => !there.has(each));
    };
    // The lag is that of the last turn until the service has taken the stream up again.
    const behind = async (): Promise<number> => {
      const { body } = await service.state(id);
      return body.lag.events === 0 ? missing().length : body.lag.events;
    };
    await until(behind, (events) => events === 0, 400_000);
    expect(missing()).toEqual([]);
    // A batch that is sent again is the same object: no event is in two of them.
    if (kind === 's3') expect(receiver.ids()).toHaveLength(ids.length);
    await service.remove(id);
  }, 500_000);
});
