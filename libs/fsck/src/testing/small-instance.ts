import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../../services/standalone/bin/countersign.js', import.meta.url));
const WITHIN_MS = 90_000;

interface Bootstrap {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly agentId: string;
}

type Json = Record<string, unknown>;

/** A data directory that has something of everything: made by a program that ran and was stopped. */
export class SmallInstance {
  readonly folder = mkdtempSync(join(tmpdir(), 'countersign-fsck-'));
  readonly dataDir = join(this.folder, 'data');
  #child: ChildProcess | null = null;
  #output = '';
  #bootstrap: Bootstrap | null = null;
  #session: Record<string, string> = {};

  async make(): Promise<void> {
    await this.start();
    await this.#fill();
    await this.stop();
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, 'start'], {
      env: {
        COUNTERSIGN_DATA_DIR: this.dataDir,
        COUNTERSIGN_PORT: '0',
        COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
        COUNTERSIGN_LOG_LEVEL: 'warn',
        COUNTERSIGN_CHECK_DEADLINE_MS: '10000',
        COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString('utf8')));
    await this.until('it is ready', async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}\n${this.#output}`);
      this.#bootstrap = JSON.parse(readFileSync(join(this.dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
      return (await fetch(`${this.#bootstrap.baseUrl}/readyz`)).status === 200;
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`it ended with ${String(code)}\n${this.#output}`);
  }

  discard(): void {
    if (this.#child?.exitCode === null) this.#child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #fill(): Promise<void> {
    const { email, password, agentId } = this.#bootstrap!;
    await this.#ask('POST', '/v1/auth/login', { email, password: `${password}x` }, 401);
    const { token } = await this.#ask('POST', '/v1/auth/login', { email, password });
    this.#session = { authorization: `Bearer ${String(token)}` };
    await this.#ask('POST', '/v1/alert-configs', {
      kind: 'webhook',
      destination: 'http://127.0.0.1:9/',
      minSeverity: 'P3',
    });
    const profile = {
      off_limits_actions: ['forbidden'],
      ...{ spending_limit: 1000, spending_window: 'month' },
      facts: [{ id: 'paid', set_when: 'args.n > 2', ttl_seconds: 86_400 }],
      limits: [
        { id: 'pays', max_count: 100, window_seconds: 86_400 },
        { id: 'amounts', sum: 'args.n', max_sum: '1000', window_seconds: 86_400, reserve: true },
      ],
    };
    await this.#ask('PATCH', `/v1/agents/${agentId}/profile`, profile);
    await this.#ask('PATCH', `/v1/agents/${agentId}`, {
      oauth_client_ids: ['https://agents.example.com/a', 'client-2'],
    });
    for (let n = 0; n < 10; n += 1) await this.#check(n);
    await this.#anchored();
    await this.#ask('DELETE', `/v1/events/${await this.#anEvent()}/content`);
    const held = { reason: 'counsel asked for it', to: '2000-01-01T00:00:00.000Z' };
    const { id } = await this.#ask('POST', '/v1/legal-holds', { ...held, name: 'a case' });
    await this.#ask('POST', `/v1/legal-holds/${String(id)}/release`, { reason: 'it is closed' });
    await this.#ask('POST', '/v1/legal-holds', { ...held, name: 'another case' });
    await this.#ask('PUT', '/v1/compliance-scope', { hipaa: { ephi: true } });
    for (let n = 10; n < 16; n += 1) await this.#check(n);
    await this.#anchored();
    const to = new Date().toISOString();
    const range = { frameworks: ['soc2'], from: '2000-01-01T00:00:00.000Z', to };
    await this.#ask('POST', '/v1/events/export-signed', { ...range, format: 'json' });
    await this.#ask('POST', '/v1/alerts/acknowledge');
    for (let n = 16; n < 18; n += 1) await this.#check(n);
    await this.#anchored();
  }

  #check(n: number): Promise<Json> {
    const action = { type: n % 4 === 0 ? 'forbidden' : 'pay', estimatedCost: 0.01, payload: { n } };
    const headers = { 'x-service-key': this.#bootstrap!.apiKey, 'idempotency-key': `key-${n}` };
    return this.#ask('POST', '/v1/check', { agentId: this.#bootstrap!.agentId, action }, null, headers);
  }

  async #events(): Promise<readonly { eventId: string; anchored: boolean }[]> {
    const { events } = await this.#ask('GET', '/v1/events?limit=100');
    return events as { eventId: string; anchored: boolean }[];
  }

  async #anEvent(): Promise<string> {
    return (await this.#events())[2]!.eventId;
  }

  async #anchored(): Promise<void> {
    await this.until('every event is anchored', async () => {
      const events = await this.#events();
      return events.length > 0 && events.every(({ anchored }) => anchored);
    });
  }

  async #ask(
    method: string,
    path: string,
    body: unknown = null,
    status: number | null = null,
    headers: Record<string, string> = this.#session,
  ): Promise<Json> {
    const answer = await fetch(this.#bootstrap!.baseUrl + path, {
      method,
      headers: { ...headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      body: body === null ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (status === null ? answer.status >= 300 : answer.status !== status)
      throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  async until(what: string, is: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + WITHIN_MS;
    for (let last: unknown = null; ; await sleep(50)) {
      try {
        if (await is()) return;
      } catch (error) {
        last = error;
        if (String(error).includes('it ended with')) throw error;
      }
      if (performance.now() > end) throw new Error(`not in time: ${what}\n${this.#output}`, { cause: last });
    }
  }
}
