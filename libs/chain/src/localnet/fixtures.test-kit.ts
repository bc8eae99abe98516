/** Shared by the tests of this package: keys, a clock, a network in a temporary directory. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase58 } from '../base58.js';
import { SLOT_MS } from './bank/slots.js';
import type { Localnet, LocalnetOptions } from './localnet.js';
import { startLocalnet } from './start.js';

export interface TestKey {
  readonly publicKey: string;
  readonly secretKey: Uint8Array;
}

export function newKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return { publicKey: encodeBase58(raw), secretKey: Buffer.concat([seed, raw]) };
}

/** A clock that moves only on the test's command. */
export class HandClock {
  #monotonic = 0;
  readonly #start = Date.now();

  wallMs(): number {
    return this.#start + this.#monotonic;
  }

  monotonicMs(): number {
    return this.#monotonic;
  }

  passSlots(count: number): void {
    this.#monotonic += count * SLOT_MS;
  }
}

/** Networks and directories of one test file; `end` after all. */
export class TestBench {
  readonly #dirs: string[] = [];
  readonly #running: { close(): Promise<void> }[] = [];

  dir(): string {
    const dir = mkdtempSync(join(tmpdir(), 'localnet-'));
    this.#dirs.push(dir);
    return dir;
  }

  async localnet(options: Partial<LocalnetOptions> = {}): Promise<Localnet & { readonly dir: string }> {
    const dir = options.dir ?? this.dir();
    const localnet = await startLocalnet({ ...options, dir, port: 0 });
    this.#running.push(localnet);
    return { ...localnet, dir };
  }

  closes<T extends { close(): Promise<void> }>(one: T): T {
    this.#running.push(one);
    return one;
  }

  async end(): Promise<void> {
    for (const one of this.#running.reverse()) await one.close();
    for (const dir of this.#dirs) rmSync(dir, { recursive: true, force: true });
  }
}

/** One JSON-RPC call; the answer unchanged. */
export async function rpc(url: string, method: string, params: unknown[] = []): Promise<RpcReply> {
  return (await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as RpcReply;
}

export interface RpcReply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export async function post(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const text = await response.text();
  return text === '' ? response.status : JSON.parse(text);
}
