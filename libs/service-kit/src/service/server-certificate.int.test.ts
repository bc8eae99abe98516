import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Registry } from 'prom-client';
import { listen, type Listener } from '@countersign/http-edge';
import { followServerCertificate, readServerCertificate } from './server-certificate.js';

const folder = mkdtempSync(join(tmpdir(), 'server-certificate-'));
const files = { certFile: join(folder, 'used.pem'), keyFile: join(folder, 'used.key') };

/** Creates a certificate of 127.0.0.1 with its key, in `NAME.pem` and `NAME.key`. */
function issue(name: string, days: number): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  const itself = ['-x509', '-days', String(days), '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...key, ...itself, '-out', `${name}.pem`], { cwd: folder, stdio: 'pipe' });
}

function use(name: string, parts: readonly string[] = ['pem', 'key']): void {
  for (const part of parts) copyFileSync(join(folder, `${name}.${part}`), join(folder, `used.${part}`));
}

function get(address: string, trusted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(join(folder, `${trusted}.pem`));
    const sent = request(`${address}/`, { ca, agent: false }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    });
    sent.on('error', reject).end();
  });
}

describe('the certificate of the public address', () => {
  const warnings: unknown[] = [];
  const metrics = new Registry();
  const log = { warn: (what: { why: string }) => warnings.push(what.why), info: () => undefined } as never;
  let opened: Listener;
  let unfollow: () => void;

  beforeAll(async () => {
    issue('first', 2);
    issue('second', 400);
    use('first');
    const certificate = await readServerCertificate(files);
    const on = { host: '127.0.0.1', port: 0 };
    const bound = { ofAddress: 3, refused: () => undefined };
    const patience = {
      headMs: 300,
      requestMs: 5000,
      idleSeconds: 65,
      unreadMs: 5000,
      body: { graceMs: 5000, bytesPerSecond: 1 },
      everyMs: 50,
    };
    opened = await listen(on, (_request, response) => response.end('answered'), patience, bound, certificate);
    unfollow = followServerCertificate(files, certificate, opened, { log, metrics }, 20);
  });
  afterAll(async () => {
    unfollow();
    await opened.close(0);
    rmSync(folder, { recursive: true });
  });

  const end = async (): Promise<Date> => {
    const value = /^countersign_tls_certificate_end_seconds (\d+)/m.exec(await metrics.metrics());
    return new Date(Number(value?.[1]) * 1000);
  };
  const ended = (port: number, send: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(send));
      socket.on('data', (part) => (answer += part.toString('latin1'))).on('error', () => undefined);
      socket.on('close', () => resolve(answer));
    });

  it('serves TLS and nothing else', async () => {
    expect(opened.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(opened.address, 'first')).toBe('answered');
    await expect(get(opened.address, 'second')).rejects.toThrow(/certificate/);
    const port = Number(new URL(opened.address).port);
    expect(await ended(port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')).not.toContain('answered');
    const old = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.1' });
    await expect(new Promise((_, reject) => old.on('error', reject))).rejects.toThrow();
  });

  it('ends connections that send nothing, before the handshake and after', async () => {
    const port = Number(new URL(opened.address).port);
    expect(await ended(port, '')).toBe('');
    const silent = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    silent.resume();
    await new Promise((resolve) => silent.on('close', resolve));
  });

  it('refuses further connections of an address that has the most open, without an answer', async () => {
    const port = Number(new URL(opened.address).port);
    const held = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect(await ended(port, '')).toBe('');
    await expect(get(opened.address, 'first')).rejects.toThrow();
    for (const socket of held) socket.destroy();
    await until(async () => (await get(opened.address, 'first')) === 'answered');
  });

  it('is renewed without a restart once both files fit, and says until then why not', async () => {
    const before = await end();
    use('second', ['pem']);
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([expect.stringMatching(/COUNTERSIGN_TLS_KEY_FILE names .*mismatch/i)]);
    expect(await get(opened.address, 'first')).toBe('answered');
    use('second', ['key']);
    await until(async () => (await get(opened.address, 'second')) === 'answered');
    await sleep(60);
    expect(warnings).toHaveLength(1);
    expect((await end()).getTime() - before.getTime()).toBeGreaterThan(390 * 86_400_000);
  });

  it('is refused if it cannot be used', async () => {
    writeFileSync(join(folder, 'text'), 'no certificate');
    const text = readServerCertificate({ ...files, certFile: join(folder, 'text') });
    await expect(text).rejects.toThrow(/COUNTERSIGN_TLS_CERT_FILE names .*text, which cannot be used/);
    const absent = readServerCertificate({ ...files, keyFile: join(folder, 'absent') });
    await expect(absent).rejects.toThrow(/COUNTERSIGN_TLS_KEY_FILE names .*absent, which cannot be used: ENOENT/);
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const wanted = async (): Promise<boolean> => {
    try {
      return await holds();
    } catch {
      return false;
    }
  };
  while (!(await wanted())) await sleep(10);
}
