import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createHttpsServer } from 'node:https';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { StreamCredentials } from '@countersign/contracts';
import type { OutboundNetwork } from '@countersign/service-kit';
import { SyslogReceiver } from '../../testing/syslog-receiver.js';
import { TestAuthority, type Certified } from '../../testing/test-authority.js';
import type { Receiver } from './kind.js';
import type { SentRecord } from './sent-record.js';
import { SYSLOG } from './syslog.js';

const NAME = 'siem.example.com';
const BATCH: readonly SentRecord[] = ['one', 'two', 'three'].map((eventId, n) => ({
  ...{ eventId, eventType: 'action.checked', agentId: 'agent', sequence: n + 1, severity: null },
  ...{ occurredAt: '2026-03-01T09:30:00.000Z', format: 'ecs', text: JSON.stringify({ event: { id: eventId } }) },
}));
/** More than the buffers of two sockets hold. */
const LARGE: readonly SentRecord[] = Array.from({ length: 200 }, (_, n) => ({
  ...BATCH[0]!,
  eventId: `e${n}`,
  text: JSON.stringify({ event: { id: `e${n}` }, message: 'x'.repeat(60_000) }),
}));

describe('a receiver of syslog over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'syslog-'));
  const authority = new TestAuthority(folder, 'authority');
  const foreign = new TestAuthority(folder, 'foreign');
  const server = authority.issue('server', `DNS:${NAME},IP:127.0.0.1`);
  const client = authority.issue('client', 'DNS:countersign.example.com');
  const opened: SyslogReceiver[] = [];

  afterEach(async () => {
    for (const receiver of opened.splice(0)) await receiver.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function listen(options: TlsOptions = server): Promise<SyslogReceiver> {
    const receiver = new SyslogReceiver(options);
    opened.push(receiver);
    await receiver.start();
    return receiver;
  }

  const portOf = ({ host }: SyslogReceiver): number => Number(host.split(':')[1]);

  function send(
    port: number,
    credentials: StreamCredentials = { ca: authority.cert },
    { batch = BATCH, network = {} }: { batch?: readonly SentRecord[]; network?: Partial<OutboundNetwork> } = {},
    name = NAME,
  ): Promise<string | null> {
    const to: Receiver = {
      ...{ streamId: 's', accountId: 'a', url: `tls://${name}:${port}`, format: 'ecs', originHost: null, nowMs: 0 },
      ...{ settings: { maxMessageBytes: 65_536 }, credentials },
    };
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    return SYSLOG.deliver(batch, to, { allowedHosts: [`${name}:${port}`], resolve, timeoutMs: 10_000, ...network });
  }

  it('gets a batch as frames of one connection, and has it when it closes that', async () => {
    const receiver = await listen();
    expect(await send(portOf(receiver))).toBeNull();
    expect(receiver.messages.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { event: { id: 'one' } },
      { event: { id: 'two' } },
      { event: { id: 'three' } },
    ]);
    expect(await send(portOf(receiver), { ca: authority.cert }, {}, '127.0.0.1')).toBeNull();
    expect(receiver.connections).toBe(2);
  });

  it('is asked for the name by SNI, in TLS 1.2 as in 1.3, and in nothing older', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const receiver = await listen({ ...server, minVersion: version, maxVersion: version });
      let asked: unknown;
      receiver.behave = (socket, read) => {
        asked = (socket as TLSSocket & { servername: unknown }).servername;
        read();
      };
      expect(await send(portOf(receiver))).toBeNull();
      expect(asked).toBe(NAME);
    }
    const old = await listen({ ...server, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
    expect(await send(portOf(old))).toMatch(/^no trusted TLS connection/);
  });

  it.each<[string, () => { of: Certified; ca?: string; name?: string }, string]>([
    ['another name', () => ({ of: authority.issue('other', 'DNS:other.example.com') }), 'of another name'],
    [
      'a name, for an address',
      () => ({ of: authority.issue('dns', `DNS:${NAME}`), name: '127.0.0.1' }),
      'another name',
    ],
    ['a foreign authority', () => ({ of: foreign.issue('stranger', `DNS:${NAME}`) }), 'authority'],
    ['an authority that the public does not know', () => ({ of: server, ca: '' }), 'authority'],
    ['itself', () => ({ of: foreign.itself }), 'authority'],
  ])('is sent nothing if its certificate is of %s', async (_what, given, problem) => {
    const { of, ca = authority.cert, name } = given();
    const receiver = await listen(of);
    const sent = await send(portOf(receiver), ca === '' ? {} : { ca }, {}, name);
    expect(sent).toMatch(/^no trusted TLS connection: /);
    expect(sent).toContain(problem);
    expect(receiver.messages).toEqual([]);
  });

  it('is sent nothing if its certificate has expired', async () => {
    const expired = authority.issue('expired', `DNS:${NAME}`, 0);
    const receiver = await listen(expired);
    let problem: string | null = null;
    for (const end = Date.now() + 30_000; problem === null && Date.now() < end;) problem = await send(portOf(receiver));
    expect(problem).toBe('no trusted TLS connection: the certificate has expired');
  });

  it('may ask for a client certificate', async () => {
    const options = { ...server, requestCert: true, rejectUnauthorized: true, ca: authority.cert };
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const receiver = await listen({ ...options, maxVersion: version });
      const own = { ca: authority.cert, clientCertificate: client.cert, clientKey: client.key };
      expect(await send(portOf(receiver), own)).toBeNull();
      const without = await send(portOf(receiver));
      expect(without).not.toBeNull();
      const stranger = foreign.issue('strange-client', 'DNS:x.example.com');
      const strange = { ca: authority.cert, clientCertificate: stranger.cert, clientKey: stranger.key };
      expect(await send(portOf(receiver), strange)).not.toBeNull();
      expect(receiver.messages).toHaveLength(3);
      expect(await send(portOf(receiver), { ...own, clientKey: stranger.key })).toBe(
        'the certificates or the key cannot be used',
      );
    }
  });

  it('is not delivered to if it refuses, resets, answers, or is none', async () => {
    const receiver = await listen();
    const port = portOf(receiver);
    receiver.behave = (socket) => void socket.destroy();
    expect(await send(port)).not.toBeNull();
    receiver.behave = (socket, read) => {
      read();
      socket.write('500 what is this\n');
    };
    expect(await send(port)).toBe('the receiver sent data, which a syslog receiver does not');
    await receiver.stop();
    expect(await send(port)).toBe('the connection was refused');

    const web = createHttpsServer(server, (_request, response) => response.end());
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    expect(await send((web.address() as AddressInfo).port)).toMatch(/^the receiver sent data/);
    web.close();

    for (const behave of [(socket: Socket) => socket.end('hello\n'), (socket: Socket) => socket.resetAndDestroy()]) {
      const plain = createServer((socket) => void behave(socket.on('error', () => undefined)));
      await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
      expect(await send((plain.address() as AddressInfo).port)).not.toBeNull();
      plain.close();
    }
  });

  it('is not delivered to if it closes its side before all was sent, or breaks off in the middle', async () => {
    const receiver = await listen();
    receiver.behave = (socket) => void socket.end();
    expect(await send(portOf(receiver), undefined, { batch: LARGE })).toBe(
      'the receiver closed the connection before the batch was over',
    );
    receiver.behave = (socket) => void socket.once('data', () => socket.destroy());
    expect(await send(portOf(receiver), undefined, { batch: LARGE })).not.toBeNull();
    expect(receiver.messages).toEqual([]);
  });

  it('is not delivered to if it never closes its side, and is in time if it reads slowly', async () => {
    const receiver = await listen();
    receiver.behave = (socket) => void socket.resume();
    expect(await send(portOf(receiver), undefined, { network: { timeoutMs: 500 } })).toBe(
      'the receiver did not close the connection in time',
    );
    // It reads nothing at all.
    receiver.behave = () => undefined;
    expect(await send(portOf(receiver), undefined, { batch: LARGE, network: { timeoutMs: 500 } })).toMatch(/in time$/);
    receiver.behave = (socket, read) => {
      read();
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 2);
      });
    };
    expect(await send(portOf(receiver), undefined, { batch: LARGE, network: { timeoutMs: 60_000 } })).toBeNull();
    expect(receiver.messages).toHaveLength(LARGE.length);
  });

  it('is not waited for if it takes the connection and never speaks TLS', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    expect(await send(port, undefined, { network: { timeoutMs: 300 } })).toBe('no answer in time');
    silent.close();
  });

  it('has a batch also if it closes without a close_notify, as some do', async () => {
    const receiver = await listen();
    const relay = createServer({ allowHalfOpen: true }, (near) => {
      const far = connectTcp({ port: portOf(receiver), host: '127.0.0.1', allowHalfOpen: true });
      near.pipe(far).on('error', () => undefined);
      // The answers of the handshake pass; when the receiver has all, its last record is kept back, and TCP ends.
      let isOver = false;
      receiver.behave = (socket, read) => {
        read();
        socket.on('end', () => (isOver = true));
      };
      far.on('data', (bytes: Buffer) => (isOver ? near.end() : near.write(bytes))).on('end', () => near.end());
      near.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    expect(await send((relay.address() as AddressInfo).port)).toBeNull();
    expect(receiver.messages).toHaveLength(3);
    relay.close();
  });

  it('is held to the rules of webhooks: every address of its name is public, and the connection uses the one checked', async () => {
    const receiver = await listen();
    const port = portOf(receiver);
    const network = (addresses: readonly string[], allowedHosts: readonly string[] = []) => ({
      network: { allowedHosts, resolve: async () => addresses.map((address) => ({ address, family: 4 })) },
    });
    expect(await send(port, undefined, network(['127.0.0.1']))).toBe('the host has an address that is not public');
    expect(await send(port, undefined, network(['8.8.8.8', '10.0.0.1']))).toBe(
      'the host has an address that is not public',
    );
    expect(await send(port, undefined, network([]))).toBe('the host name does not resolve');
    expect(await send(port, undefined, network([]), '10.0.0.1')).toBe('destination must be publicly reachable');
    expect(receiver.connections).toBe(0);
    // The name of the URL is resolved by nothing but this: there is no such host.
    expect(await send(port, undefined, network(['127.0.0.1'], [`${NAME}:${port}`]))).toBeNull();
  });

  it.each<[string, StreamCredentials, string | null]>([
    ['nothing', {}, null],
    ['authorities', { ca: `${authority.cert}\n${foreign.cert}` }, null],
    ['all', { ca: authority.cert, clientCertificate: client.cert, clientKey: client.key }, null],
    ['a text', { ca: 'no certificate' }, 'credentials.ca must be certificates in PEM'],
    [
      'a certificate that is broken',
      { ca: authority.cert.replace(/[A-Za-z0-9]{40}/, '') },
      'credentials.ca must be certificates in PEM',
    ],
    ['no key', { clientCertificate: client.cert }, 'are given together, or neither'],
    ['no certificate', { clientKey: client.key }, 'are given together, or neither'],
    ['a key as a certificate', { clientCertificate: client.key, clientKey: client.key }, 'clientCertificate must be'],
    ['no PEM as a key', { clientCertificate: client.cert, clientKey: 'x' }, 'clientKey must be a private key in PEM'],
    ['the key of another', { clientCertificate: client.cert, clientKey: server.key }, 'is not the key of'],
    ['a token', { token: 'x' }, 'credentials.token is not of this kind'],
  ])('takes as credentials: %s', (_what, credentials, problem) => {
    const found = SYSLOG.problem(new URL('tls://siem.example.com:6514'), credentials, {});
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});
