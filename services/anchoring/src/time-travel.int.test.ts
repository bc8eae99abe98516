import { execFileSync } from 'node:child_process';
import { ChainUnavailable, type Chain, type MemoSigner, type TransactionStatus } from '@countersign/chain';
import { parseWindowMemo } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { pino } from 'pino';
import { memoOf } from './close-windows/window-closer.js';
import { recomputeWindow } from './close-windows/recompute-window.js';
import { proofSource } from './prove/proof-source.js';
import type { ClosedWindow } from './store/port.js';
import { AnchorSubmitter } from './submit/anchor-submitter.js';
import { agentId, envelope } from './testing/envelopes.js';
import { House } from './testing/house.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { sha256 } = nodeCrypto;
const iso = (ms: number): string => new Date(ms).toISOString();

let house: House;
let events: number;
beforeEach(async () => {
  house = await House.open();
  // Long before any clock that this runs by: the log stamps records with that one, and the earlier of both counts.
  house.nowMs = Date.parse('2025-12-17T00:10:00.000Z');
  events = 0;
});
afterEach(() => house.close());

/** Whatever is due is cut and closed, then each of these agents has an event. */
async function round(agents: readonly number[], lateByMs = 0): Promise<void> {
  await house.closeDue();
  const occurredAtMs = house.nowMs - lateByMs;
  const sent = agents.map((agent) => envelope({ n: (events += 1), agent, cadenceSeconds: 3600, occurredAtMs }));
  await house.append(...sent);
  await house.takeAll();
}

/** Every window of an hour, oldest first, each with its leaves read again. */
async function closedWindows(): Promise<readonly ClosedWindow[]> {
  const windows: ClosedWindow[] = [];
  for (;;) {
    const window = await house.store.closedWindow(`3600-${windows.length + 1}`);
    if (window === null) return windows;
    expect(await recomputeWindow(house.store, window.windowId, memoOf(window), sha256)).toEqual(window);
    windows.push(window);
  }
}

describe('windows of thirty days, over the end of a year', () => {
  it('hold every event once, in order, whatever the clock does and however late events are', async () => {
    const steps = new Map([
      [100, -90 * MINUTE],
      [101, -HOUR],
      [250, 5 * HOUR],
      [400, -26 * HOUR],
    ]);
    for (let hour = 0; hour < 30 * 24; hour += 1) {
      // At four in the morning no agent acts; each seventh hour the writer's events are late.
      await round(hour % 24 === 4 ? [] : [hour % 5, 5 + (hour % 11)], hour % 7 === 0 ? 40 * HOUR : 0);
      house.nowMs += HOUR + (steps.get(hour) ?? 0);
    }
    // What came under labels that are used already is cut once the clock has passed them.
    house.nowMs += 30 * HOUR;
    await house.closeDue();

    const windows = await closedWindows();
    expect(windows.length).toBeGreaterThan(600);
    expect(windows.reduce((sum, { eventCount }) => sum + eventCount, 0)).toBe(events);
    const last = new Map<string, number>();
    let before: ClosedWindow | null = null;
    for (const window of windows) {
      expect(window.startMs % HOUR).toBe(0);
      expect(window.endMs - window.startMs).toBe(HOUR);
      expect(window.prev).toBe(before === null ? null : before.merkleRoot);
      expect(parseWindowMemo(memoOf(window))).toMatchObject({ root: window.merkleRoot, prev: window.prev });
      for (const { agentId: id, firstSequence, lastSequence } of await house.store.windowAgents(
        window.windowId,
        0,
        window.agentCount,
      )) {
        expect(firstSequence).toBe((last.get(id) ?? 0) + 1);
        last.set(id, lastSequence);
      }
      before = window;
    }
    const starts = windows.map(({ startMs }) => iso(startMs));
    expect(new Set(starts).size).toBe(starts.length);
    expect(starts).toEqual(expect.arrayContaining(['2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z']));
  }, 240_000);

  it('have the same labels wherever the machine stands, also where its clock skips or repeats an hour', () => {
    const program = `
      import { dueLabel } from ${JSON.stringify(new URL('./domain/window-label.js', import.meta.url).href)};
      const labels = [];
      for (const from of ['2026-03-28T22:00Z', '2026-10-24T22:00Z', '2026-11-01T03:00Z', '2026-12-31T21:00Z']) {
        for (let now = Date.parse(from), end = now + 6 * 3600000; now < end; now += 1800000) {
          for (const cadenceSeconds of [1, 300, 3600]) {
            const { startMs, endMs } = dueLabel({ cadenceSeconds, openedAtMs: now - 7200000 }, now);
            labels.push(new Date(startMs).toISOString() + '/' + (endMs - startMs));
          }
        }
      }
      console.log(JSON.stringify({ offset: new Date('2026-07-01').getTimezoneOffset(), labels }));`;
    const inZone = (TZ: string): { offset: number; labels: string[] } =>
      JSON.parse(
        execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { TZ }, encoding: 'utf8' }),
      ) as { offset: number; labels: string[] };
    const utc = inZone('UTC');
    expect(utc.labels).toContain('2026-12-31T23:00:00.000Z/3600000');
    for (const [zone, offset] of [
      ['Europe/Berlin', -120],
      ['America/New_York', 240],
      ['Australia/Lord_Howe', -630],
    ] as const) {
      expect(inZone(zone)).toEqual({ offset, labels: utc.labels });
    }
  });
});

describe('a chain that is out of reach over three windows', () => {
  it('delays nothing but anchors: each window then is on it once, and each one names the one before', async () => {
    const signer: MemoSigner = { publicKey: 'authority', sign: () => new Uint8Array(64) };
    const chain = new SmallChain();
    const submitter = new AnchorSubmitter(house.store, {
      ...{ chain, signer, sha256, network: 'solana:localnet', log: pino({ level: 'silent' }) },
      clock: () => house.nowMs,
      failed: () => undefined,
    });
    const proofs = proofSource(house.store, sha256);
    chain.away = true;
    for (let hour = 0; hour < 4; hour += 1) {
      await round([1, 2]);
      const waiting = (await house.store.waiting()).windows;
      expect(waiting).toBe(hour);
      expect(await submitter.round()).toEqual({ open: waiting, anchored: 0 });
      if (waiting > 0) expect(submitter.problems()).toEqual([expect.stringContaining('no node answers')]);
      house.nowMs += HOUR;
    }
    expect(await proofs.windows(agentId(1), 1, 3)).toEqual([]);

    chain.away = false;
    for (let tries = 0; (await submitter.round()).open > 0; tries += 1) expect(tries).toBeLessThan(10);
    expect(submitter.problems()).toEqual([]);
    const windows = await closedWindows();
    expect(windows).toHaveLength(3);
    expect([...chain.landed.values()].sort()).toEqual(windows.map(memoOf).sort());
    expect(windows.map(({ prev }) => prev)).toEqual([null, windows[0]!.merkleRoot, windows[1]!.merkleRoot]);
    const proven = await proofs.windows(agentId(1), 1, 3);
    expect(proven.map(({ leaf, merkleRoot }) => [leaf.firstSequence, merkleRoot])).toEqual(
      windows.map(({ merkleRoot }, i) => [i + 1, merkleRoot]),
    );
  });
});

/** Takes each transaction at once and is final at once, unless it is away. */
class SmallChain implements Pick<Chain, 'prepareMemo' | 'send' | 'observe' | 'transaction'> {
  away = false;
  /** Memos by the signature of their transaction. */
  readonly landed = new Map<string, string>();
  #prepared = 0;

  async prepareMemo(memo: string): ReturnType<Chain['prepareMemo']> {
    this.#reach();
    const signature = `signature-${(this.#prepared += 1)}`;
    return { signature, wire: `${signature} ${memo}`, blockhash: 'b', lastValidBlockHeight: 500, preparedAtSlot: 100 };
  }

  async send(wire: string): Promise<void> {
    this.#reach();
    const space = wire.indexOf(' ');
    this.landed.set(wire.slice(0, space), wire.slice(space + 1));
  }

  async observe(signatures: readonly string[]): ReturnType<Chain['observe']> {
    this.#reach();
    const statuses = signatures.map((signature) => {
      const found = this.landed.has(signature);
      const status: TransactionStatus = found ? { state: 'finalized', slot: 101, err: null } : { state: 'not-found' };
      return [signature, status] as const;
    });
    return { finalizedBlockHeight: 120, historyFromSlot: 0, statuses: new Map(statuses) };
  }

  async transaction(signature: string): ReturnType<Chain['transaction']> {
    this.#reach();
    const memo = this.landed.get(signature);
    if (memo === undefined) return null;
    const place = { slot: 101, blockHeight: 101, blockTime: 1_790_000_000, confirmations: 20 };
    return { signature, ...place, succeeded: true, signers: ['authority'], feePayer: 'authority', memos: [memo] };
  }

  #reach(): void {
    if (this.away) throw new ChainUnavailable('network', 'no node answers');
  }
}
