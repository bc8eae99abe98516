import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Connection from 'kafkajs/src/network/connection.js';
import type { EventLog } from '../port.js';
import { freePort, KAFKA_LIBS, TestBroker } from './broker.test-kit.js';
import { TestAuthority } from './certificates.test-kit.js';
import type { Certified } from './certificates.test-kit.js';
import { newPrefix, openTestLog } from './kafka.test-kit.js';
import type { KafkaLogOptions, KafkaSasl } from './options.js';

const TOPIC = 'anchors';
const PASSWORD = 'correct horse/battery+staple';
/** A session is renewed ten seconds before the broker ends it: after two seconds. */
const SESSION_MS = 12_000;

const sasl = (mechanism: KafkaSasl['mechanism'], password = PASSWORD): KafkaSasl => ({
  mechanism,
  username: 'alice',
  password,
});

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 25_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

if (KAFKA_LIBS === null) {
  describe.skip('Kafka with TLS and SASL (needs a Kafka of its own: COUNTERSIGN_TEST_KAFKA_LIBS)', () => {
    it('is skipped', () => undefined);
  });
} else {
  const libs = KAFKA_LIBS;
  describe('Kafka with TLS and SASL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kafka-access-'));
    const authority = new TestAuthority(folder, 'authority');
    const other = new TestAuthority(folder, 'other');
    let broker: TestBroker;
    let ours: Certified;
    /** `host:port` of a listener that asks for SASL over TLS, and of one that asks for a certificate. */
    const secured: string[] = [];
    const mutual: string[] = [];
    const logs: EventLog[] = [];
    const open = async (options: Partial<KafkaLogOptions>, prefix = newPrefix(), brokers = secured) => {
      const log = await openTestLog(brokers, prefix, { topics: [TOPIC], openTimeoutMs: 8000, ...options });
      logs.push(log);
      return log;
    };
    const ca = { ca: authority.cert };

    beforeAll(async () => {
      const [port, mutualPort] = [await freePort(), await freePort()];
      secured.push(`localhost:${port}`);
      mutual.push(`localhost:${mutualPort}`);
      const theirs = authority.issue('broker', 'DNS:localhost');
      ours = authority.issue('client', 'DNS:client');
      const jaas = (login: string) => `org.apache.kafka.common.security.${login}`;
      const format = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
        '--add-scram',
        `${mechanism}=[name="alice",password="${PASSWORD}"]`,
      ]);
      broker = await TestBroker.start(
        libs,
        (usual) => ({
          listeners: `${usual['listeners']},SECURED://127.0.0.1:${port},MUTUAL://127.0.0.1:${mutualPort}`,
          'advertised.listeners': `${usual['advertised.listeners']},SECURED://localhost:${port},MUTUAL://localhost:${mutualPort}`,
          'listener.security.protocol.map': `${usual['listener.security.protocol.map']},SECURED:SASL_SSL,MUTUAL:SSL`,
          'ssl.keystore.type': 'PEM',
          'ssl.keystore.location': theirs.file,
          'ssl.truststore.type': 'PEM',
          'ssl.truststore.location': authority.file,
          'listener.name.mutual.ssl.client.auth': 'required',
          'listener.name.secured.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
          'listener.name.secured.plain.sasl.jaas.config': `${jaas('plain.PlainLoginModule')} required user_alice="${PASSWORD}";`,
          'listener.name.secured.scram-sha-256.sasl.jaas.config': `${jaas('scram.ScramLoginModule')} required;`,
          'listener.name.secured.scram-sha-512.sasl.jaas.config': `${jaas('scram.ScramLoginModule')} required;`,
          'connections.max.reauth.ms': String(SESSION_MS),
        }),
        format,
      );
    }, 120_000);
    afterEach(async () => {
      await Promise.all(logs.splice(0).map((log) => log.close()));
    });
    afterAll(async () => {
      await broker?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('appends, reads and consumes in a group while sessions end, and continues when the broker returns', async () => {
      const [connects, authenticates] = [
        jest.spyOn(Connection.prototype, 'connect'),
        jest.spyOn(Connection.prototype, 'authenticate'),
      ];
      const log = await open({ tls: ca, sasl: sasl('scram-sha-256'), sendTimeoutMs: 3000 });
      const seen: string[] = [];
      const consumption = await log.consume({
        group: 'followers',
        topics: [TOPIC],
        mode: 'shared',
        position: () => null,
        handle: ({ records }) => void seen.push(...records.map(({ value }) => Buffer.from(value).toString())),
      });
      const sent: string[] = [];
      const append = () => {
        const values = [1, 2, 3].map((n) => `${sent.length + n}`);
        sent.push(...values);
        return Promise.all(values.map((value) => log.append([{ topic: TOPIC, key: 'k', value }])));
      };
      await append();
      await until('all is consumed', () => seen.length === sent.length);
      expect(await log.read(TOPIC, 0, 0, 10)).toHaveLength(3);
      const connected = connects.mock.calls.length;
      const authenticated = authenticates.mock.calls.length;
      const sessionsEnd = Date.now() + 4000;
      while (Date.now() < sessionsEnd) {
        await append();
        await delay(20);
      }
      await until('all is consumed', () => seen.length >= sent.length);
      expect(seen).toEqual(sent);
      expect((await log.endOffsets(TOPIC))[0]).toBe(sent.length);
      expect(await log.read(TOPIC, 0, 0, 10)).toHaveLength(10);
      expect(consumption.stalled()).toBeNull();
      // The connections of appends, fetches, the group and the cluster view are still the same.
      expect(connects.mock.calls.length).toBe(connected);
      expect(authenticates.mock.calls.length).toBeGreaterThanOrEqual(authenticated + 4);
      await broker.kill();
      await expect(log.append([{ topic: TOPIC, key: 'k', value: 'lost' }])).rejects.toThrow(/localhost/);
      await broker.run();
      await until('appends are accepted', () => log.refusing() === null);
      const before = seen.length;
      await append();
      await until('consumption continues', () => seen.length >= before + 3);
      await consumption.stop();
      jest.restoreAllMocks();
    }, 90_000);

    it.each(['plain', 'scram-sha-512'] as const)('knows %s', async (mechanism) => {
      const log = await open({ tls: ca, sasl: sasl(mechanism) });
      await log.append([{ topic: TOPIC, key: 'k', value: 'v' }]);
      expect(await log.read(TOPIC, 0, 0, 1)).toHaveLength(1);
    });

    it.each(['plain', 'scram-sha-256'] as const)('reports at once whose password is wrong (%s)', async (mechanism) => {
      const started = Date.now();
      const opening = open({ tls: ca, sasl: sasl(mechanism, 'wrong') });
      await expect(opening).rejects.toThrow(`Kafka refuses the credentials of alice at ${secured[0]}: `);
      await expect(opening).rejects.not.toThrow('wrong');
      expect(Date.now() - started).toBeLessThan(6000);
    });

    it('trusts only the given authority, or those of Node.js', async () => {
      const credentials = sasl('plain');
      const refusal = `no TLS with Kafka at ${secured[0]}: `;
      await expect(open({ tls: { ca: other.cert }, sasl: credentials })).rejects.toThrow(refusal);
      await expect(open({ tls: true, sasl: credentials })).rejects.toThrow(refusal);
    });

    it('checks the name of the broker, or another given one', async () => {
      const byAddress = secured.map((address) => address.replace('localhost', '127.0.0.1'));
      const wrong = open({ tls: ca, sasl: sasl('plain') }, newPrefix(), byAddress);
      await expect(wrong).rejects.toThrow(/no TLS with Kafka at 127\.0\.0\.1:\d+: .*127\.0\.0\.1/);
      const named = { ...ca, servername: 'elsewhere.example.com' };
      await expect(open({ tls: named, sasl: sasl('plain') })).rejects.toThrow('elsewhere.example.com');
      const right = { tls: { ...ca, servername: 'localhost' }, sasl: sasl('plain') };
      await open(right, newPrefix(), byAddress);
    });

    it('presents its own certificate to a broker that requires one', async () => {
      const log = await open({ tls: { ...ca, cert: ours.cert, key: ours.key } }, newPrefix(), mutual);
      await log.append([{ topic: TOPIC, key: 'k', value: 'v' }]);
      await expect(open({ tls: ca }, newPrefix(), mutual)).rejects.toThrow(`no TLS with Kafka at ${mutual[0]}: `);
    });

    it('names the problem of a listener of another kind', async () => {
      const opening = { openTimeoutMs: 300 };
      await expect(open(opening)).rejects.toThrow('expects TLS');
      const plain = [broker.proxy.address];
      const credentials = { ...opening, sasl: sasl('scram-sha-256') };
      await expect(open(credentials, newPrefix(), plain)).rejects.toThrow('Kafka does not take SASL scram-sha-256');
      await expect(open({ ...opening, tls: ca })).rejects.toThrow('expects SASL');
    });
  });
}
