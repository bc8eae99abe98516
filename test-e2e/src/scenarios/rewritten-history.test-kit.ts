import { createHash, createPrivateKey, randomUUID, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { canonicalize } from 'json-canonicalize';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

type Json = Record<string, unknown>;

/** The parts of a package that a rewritten history changes. */
export interface Package extends Json {
  readonly publicKeyUrl: string;
  readonly range: { readonly from: string; readonly to: string };
  readonly agents: readonly Json[];
  readonly events: readonly Entry[];
  readonly inclusionProofs: readonly (Json & { readonly windowStart: string })[];
  readonly windows: readonly (Json & { readonly windowStart: string; readonly windowEnd: string })[];
}
export type History = Pick<Package, 'events' | 'inclusionProofs' | 'windows'>;
export interface Entry extends Json {
  readonly event: Json & {
    readonly eventId: string;
    readonly agentId: string;
    readonly type: string;
    readonly occurredAt: string;
    readonly outcome: string | null;
    readonly violation_type: string | null;
  };
  readonly sequence: number;
  readonly status: string;
}
/** The events of one agent in one window. */
export interface Part {
  readonly startMs: number;
  readonly entries: readonly Entry[];
}

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const NETWORK = 'solana:localnet';
const SECOND = 1000;

const sha256 = (...bytes: readonly (Buffer | string)[]): Buffer =>
  bytes.reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash('sha256')).digest();
const leafHash = (value: object): Buffer => sha256(Buffer.from([0]), canonicalize(value));

/** RFC 6962 section 2.1, implemented independently. */
function treeHead(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return sha256(Buffer.from([1]), treeHead(leaves.slice(0, k)), treeHead(leaves.slice(k)));
}
function auditPath(at: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return at < k ? [...auditPath(at, left), treeHead(right)] : [...auditPath(at - k, right), treeHead(left)];
}
/** The largest power of two below a size. */
function split(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

/** The events of a package by their windows, in order. */
export function partsOf({ events, inclusionProofs }: History): Part[] {
  const parts = new Map<string, Entry[]>();
  events.forEach((entry, i) => {
    const { windowStart } = inclusionProofs[i]!;
    parts.set(windowStart, [...(parts.get(windowStart) ?? []), entry]);
  });
  return [...parts].map(([windowStart, entries]) => ({ startMs: Date.parse(windowStart), entries }));
}

/**
 * Capabilities of an operator with the data directory: it anchors with the key of the authority, and signs with the key of
 * the reports. Uses none of the program's own code.
 */
export class Operator {
  readonly #authority: Keypair;
  readonly #connection: Connection;
  readonly #genuine: Package;
  readonly #signingKey: KeyObject;
  readonly #sent: string[] = [];

  /** @param genuine a package of one agent that the instance issued */
  constructor({ dataDir, bootstrap }: Instance, genuine: Package) {
    const keypair = JSON.parse(readFileSync(join(dataDir, 'anchoring', 'authority.json'), 'utf8')) as number[];
    this.#authority = Keypair.fromSecretKey(Uint8Array.from(keypair));
    const keyFile = join(dataDir, 'reporting', 'keys', `${genuine.publicKeyUrl.split('/').at(-1)!}.json`);
    const { privateKeyPem } = JSON.parse(readFileSync(keyFile, 'utf8')) as { privateKeyPem: string };
    this.#signingKey = createPrivateKey(privateKeyPem);
    this.#connection = new Connection(bootstrap.solanaRpcUrl, 'finalized');
    this.#genuine = genuine;
  }

  /**
   * Anchors windows of a second with these events, numbered from 1.
   * @param prev root of the window closed before the first
   */
  async anchored(parts: readonly Part[], prev: string): Promise<History> {
    const events: Entry[] = [];
    const proofs: (Json & { readonly windowStart: string })[] = [];
    const windows: (Json & { readonly windowStart: string; readonly windowEnd: string })[] = [];
    let before = prev;
    for (const { startMs, entries } of parts) {
      const { agentId } = entries[0]!.event;
      const leaves = entries.map(({ event }) => leafHash(event));
      const leaf = {
        agentKey: sha256(agentId).toString('hex'),
        count: entries.length,
        firstSequence: events.length + 1,
        lastSequence: events.length + entries.length,
        agentRoot: treeHead(leaves).toString('hex'),
      };
      const merkleRoot = leafHash(leaf).toString('hex');
      const [windowStart, windowEnd] = [startMs, startMs + SECOND].map((ms) => new Date(ms).toISOString());
      const label = `${windowStart!}/PT1S agents=1 events=${entries.length}`;
      const txSignature = await this.#send(`countersign/1 root=${merkleRoot} prev=${before} window=${label}`);
      before = merkleRoot;
      const position = { merkleRoot, txSignature, network: NETWORK, windowStart: windowStart!, windowEnd: windowEnd! };
      const inTree = { leafIndex: 0, treeSize: 1, path: [] };
      windows.push({ agentId, ...position, leaf, ...inTree });
      const { count: treeSize, ...agent } = leaf;
      entries.forEach((entry, leafIndex) => {
        const path = auditPath(leafIndex, leaves).map((hash) => hash.toString('hex'));
        const { eventId } = entry.event;
        proofs.push({
          eventId,
          anchored: true,
          leafIndex,
          treeSize,
          path,
          agent: { ...agent, ...inTree },
          ...position,
        });
        events.push({ ...entry, sequence: events.length + 1 });
      });
    }
    return { events, inclusionProofs: proofs, windows };
  }

  /**
   * A package of this history: signed, and anchored now.
   * @param stated whether it repeats what the genuine package states of its verdicts, which is of other events
   */
  async issued(history: History, range: Package['range'], { stated = false } = {}): Promise<string> {
    const {
      sha256: _hash,
      signature: _signature,
      algorithm,
      publicKeyUrl,
      timestamp: _old,
      ...genuine
    } = this.#genuine;
    const { redecision, ...unstated } = genuine;
    const rest = stated ? { ...unstated, redecision } : unstated;
    const { events } = history;
    const numbers = { firstSequence: 1, lastSequence: events.length, count: events.length, anchors: [] };
    const agents = this.#genuine.agents.map((agent) => ({ ...agent, ...numbers }));
    const content = { ...rest, reportId: randomUUID(), range, agents, ...history, summary: summaryOf(events) };
    const message = `countersign/1 report=${sha256(canonicalize(content)).toString('hex')}`;
    const anchor = await this.#send(message);
    const height = await this.#heightOnceFinal(anchor);
    const timestamp = {
      issued_at: new Date().toISOString(),
      anchor: NETWORK,
      anchor_tx_signature: anchor,
      anchor_block_height: height,
      message,
    };
    const bytes = Buffer.from(canonicalize({ ...content, timestamp }));
    const signature = sign(null, bytes, this.#signingKey).toString('base64');
    const sealed = { sha256: sha256(bytes).toString('hex'), signature, algorithm, publicKeyUrl };
    return JSON.stringify({ ...content, timestamp, ...sealed });
  }

  async #send(memo: string): Promise<string> {
    const keys = [{ pubkey: this.#authority.publicKey, isSigner: true, isWritable: false }];
    const instruction = new TransactionInstruction({ programId: MEMO_PROGRAM, keys, data: Buffer.from(memo) });
    const signature = await this.#connection.sendTransaction(new Transaction().add(instruction), [this.#authority]);
    this.#sent.push(signature);
    return signature;
  }

  /** The height of the block of a transaction, once everything sent is final. */
  async #heightOnceFinal(signature: string): Promise<number> {
    await eventually('all that was sent is final', 30, async () => {
      const { value } = await this.#connection.getSignatureStatuses(this.#sent);
      return value.every((status) => status?.confirmationStatus === 'finalized') ? true : null;
    });
    const found = await this.#connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    const options = { transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 0 };
    const answer = await fetch(this.#connection.rpcEndpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBlock', params: [found!.slot, options] }),
    });
    return ((await answer.json()) as { result: { blockHeight: number } }).result.blockHeight;
  }
}

function summaryOf(events: readonly Entry[]): Json {
  const checks = events.filter(({ event }) => event.type === 'action.checked');
  const withOutcome = (outcome: string): number => checks.filter(({ event }) => event.outcome === outcome).length;
  const withStatus = (wanted: string): number => events.filter(({ status }) => status === wanted).length;
  const violations = checks.flatMap(({ event }) => event.violation_type ?? []);
  const byViolation = Object.fromEntries(
    [...new Set(violations)].map((type) => [type, violations.filter((one) => one === type).length]),
  );
  return {
    events: events.length,
    allowed: withOutcome('allowed'),
    denied: withOutcome('denied'),
    frozen: withOutcome('frozen'),
    capped: 0,
    satisfied: withStatus('Satisfied'),
    prevented: withStatus('Prevented'),
    gap: withStatus('Gap, review required'),
    anchored: events.length,
    unanchored: 0,
    byViolation,
    outcomes: { reported: 0, of: checks.length },
  };
}
