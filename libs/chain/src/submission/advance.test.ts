import fc from 'fast-check';
import { ChainRejected, ChainUnavailable } from '../errors.js';
import type { Observation, PreparedTransaction, TransactionStatus } from '../port.js';
import { advance } from './advance.js';
import { intentFor } from './intent.js';
import type { SubmissionIntent } from './intent.js';
import { submitMemo } from './submit-memo.js';

const signer = { publicKey: 'authority', sign: (message: Uint8Array) => message };
const LIFE = 150;
const FINALITY = 32;

/**
 * A chain of blocks without a network: every block is one height; a sent transaction lands in the next one or is lost.
 */
class ModelChain {
  height = 1_000;
  lag = 0;
  loses = false;
  refuses: Error | null = null;
  unreachable = false;
  historyFromSlot: number | null = 0;
  readonly landed = new Map<string, number>();
  readonly held: string[] = [];
  #prepared = new Map<string, PreparedTransaction>();

  async prepareMemo(memo: string): Promise<PreparedTransaction> {
    this.#reach();
    const signature = `${memo}#${this.#prepared.size}`;
    const prepared = {
      signature,
      wire: signature,
      blockhash: `at ${this.height}`,
      lastValidBlockHeight: this.height + LIFE,
      preparedAtSlot: this.height,
    };
    this.#prepared.set(signature, prepared);
    return prepared;
  }

  async send(wire: string): Promise<void> {
    this.#reach();
    if (this.refuses !== null) throw this.refuses;
    if (this.loses) this.held.push(wire);
    else this.#land(wire);
  }

  async observe(signatures: readonly string[]): Promise<Observation> {
    this.#reach();
    const seenHeight = this.height - this.lag;
    const finalizedBlockHeight = seenHeight - FINALITY;
    const status = (signature: string): TransactionStatus => {
      const slot = this.landed.get(signature);
      if (slot === undefined || slot > seenHeight) return { state: 'not-found' };
      return slot > finalizedBlockHeight
        ? { state: 'confirmed', slot, err: null }
        : { state: 'finalized', slot, err: null };
    };
    const statuses = new Map(signatures.map((one) => [one, status(one)] as const));
    return { finalizedBlockHeight, historyFromSlot: this.historyFromSlot, statuses };
  }

  /** Lost transactions that were held back arrive; they land while they are valid. */
  release(): void {
    for (const wire of this.held.splice(0)) this.#land(wire);
  }

  #land(wire: string): void {
    const prepared = this.#prepared.get(wire);
    if (prepared === undefined) throw new Error('unknown transaction');
    if (this.height + 1 > prepared.lastValidBlockHeight) {
      throw new ChainRejected('blockhash-not-found', 'Blockhash not found');
    }
    if (!this.landed.has(wire)) this.landed.set(wire, this.height + 1);
  }

  #reach(): void {
    if (this.unreachable) throw new ChainUnavailable('network', 'out of reach');
  }
}

/** One process: keeps what it saved in `stored`, and may die at a chosen call. */
class Process {
  stored: SubmissionIntent = intentFor('m');
  dieBefore: 'save' | 'send' | null = null;
  dieAfterSave = false;

  constructor(private readonly chain: ModelChain) {}

  async run(): Promise<void> {
    const die = (): never => {
      throw new Error('killed');
    };
    const { chain } = this;
    await advance([this.stored], {
      signer,
      chain: {
        prepareMemo: (memo) => chain.prepareMemo(memo),
        observe: (signatures) => chain.observe(signatures),
        send: (wire) => (this.dieBefore === 'send' ? die() : chain.send(wire)),
      },
      save: async (intent) => {
        if (this.dieBefore === 'save') die();
        this.stored = intent;
        if (this.dieAfterSave) die();
      },
    }).catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'killed') throw error;
    });
  }
}

describe('advance', () => {
  it('signs, stores, then sends, in this order', async () => {
    const chain = new ModelChain();
    const order: string[] = [];
    const [advanced] = await advance([intentFor('m')], {
      signer,
      chain: {
        observe: (signatures) => chain.observe(signatures),
        prepareMemo: (memo) => (order.push('sign'), chain.prepareMemo(memo)),
        send: async () => void order.push('send'),
      },
      save: async ({ attempts }) => void order.push(`save ${attempts.length}`),
    });
    expect(order).toEqual(['sign', 'save 1', 'send']);
    expect(advanced?.intent.attempts).toHaveLength(1);
  });

  it('sends nothing when the store fails', async () => {
    const chain = new ModelChain();
    const tools = { signer, chain, save: () => Promise.reject(new Error('disk full')) };
    await expect(advance([intentFor('m')], tools)).rejects.toThrow('disk full');
    expect(chain.landed.size).toBe(0);
  });

  it('reports a rate limit and a refusal, and keeps what was stored', async () => {
    const chain = new ModelChain();
    let saved = intentFor('m');
    const tools = { signer, chain, save: async (intent: SubmissionIntent) => void (saved = intent) };
    chain.refuses = new ChainUnavailable('rate-limited', '429');
    const [limited] = await advance([saved], tools);
    expect(limited?.problem).toMatchObject({ name: 'ChainUnavailable', reason: 'rate-limited' });
    expect(limited?.intent).toEqual(saved);
    expect(saved.attempts).toHaveLength(1);
    chain.refuses = new ChainRejected('insufficient-funds', 'no money');
    const [poor] = await advance([saved], tools);
    expect(poor?.problem).toMatchObject({ code: 'insufficient-funds' });
    chain.refuses = new ChainRejected('blockhash-not-found', 'the node lags');
    const [lagging] = await advance([saved], tools);
    expect(lagging).toMatchObject({ problem: null, step: { step: 'send' } });
    expect(saved.attempts).toHaveLength(1);
  });

  it('handles many intents with one look-up', async () => {
    const chain = new ModelChain();
    let looks = 0;
    const stored = new Map<string, SubmissionIntent>();
    const tools = {
      signer,
      chain: {
        prepareMemo: (memo: string) => chain.prepareMemo(memo),
        send: (wire: string) => chain.send(wire),
        observe: (signatures: readonly string[]) => (looks++, chain.observe(signatures)),
      },
      save: async (intent: SubmissionIntent) => void stored.set(intent.memo, intent),
    };
    await advance(
      Array.from({ length: 300 }, (_, i) => intentFor(`memo ${i}`)),
      tools,
    );
    expect(looks).toBe(0);
    chain.height += 100;
    const advanced = await advance([...stored.values()], tools);
    expect(looks).toBe(2);
    expect(advanced.every(({ step }) => step.step === 'record')).toBe(true);
    expect([...stored.values()].every(({ landed }) => landed !== null)).toBe(true);
  });

  it('anchors once, whatever is lost, late, lagging or killed', async () => {
    const event = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('run' as const), blocks: fc.nat(80) }) },
      fc.record({ kind: fc.constant('lose' as const), value: fc.boolean() }),
      fc.record({ kind: fc.constant('release' as const) }),
      fc.record({ kind: fc.constant('lag' as const), value: fc.nat(400) }),
      fc.record({ kind: fc.constant('reach' as const), value: fc.boolean() }),
      fc.record({
        kind: fc.constant('die' as const),
        at: fc.constantFrom('before save', 'after save', 'before send'),
      }),
    );
    let signedAgain = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 25, maxLength: 80 }), fc.boolean(), async (events, loses) => {
        const chain = new ModelChain();
        chain.loses = loses;
        const process = new Process(chain);
        for (const one of events) {
          switch (one.kind) {
            case 'run':
              chain.height += one.blocks;
              await process.run();
              break;
            case 'lose':
              chain.loses = one.value;
              break;
            case 'release':
              try {
                chain.release();
              } catch {
                // It was too late for it.
              }
              break;
            case 'lag':
              chain.lag = one.value;
              break;
            case 'reach':
              chain.unreachable = !one.value;
              break;
            case 'die':
              process.dieBefore = one.at === 'before save' ? 'save' : one.at === 'before send' ? 'send' : null;
              process.dieAfterSave = one.at === 'after save';
              await process.run();
              process.dieBefore = null;
              process.dieAfterSave = false;
          }
          expect(chain.landed.size).toBeLessThanOrEqual(1);
          // A replaced transaction can no longer land by the time its successor exists.
          for (const { lastValidBlockHeight } of process.stored.attempts.slice(0, -1)) {
            expect(chain.height).toBeGreaterThanOrEqual(lastValidBlockHeight);
          }
        }
        chain.unreachable = false;
        chain.loses = false;
        chain.lag = 0;
        for (let i = 0; i < 20 && process.stored.landed === null; i++) {
          chain.height += 60;
          await process.run();
        }
        expect(chain.landed.size).toBe(1);
        expect([...chain.landed]).toEqual([[process.stored.landed?.signature, process.stored.landed?.slot]]);
        if (process.stored.attempts.length > 1) signedAgain += 1;
      }),
      { numRuns: 400 },
    );
    expect(signedAgain).toBeGreaterThan(40);
  });
});

describe('submitMemo', () => {
  it('resolves when the memo is final', async () => {
    const chain = new ModelChain();
    const steps: string[] = [];
    const done = await submitMemo(intentFor('m'), {
      signer,
      chain,
      save: async () => undefined,
      pollMs: 1,
      onStep: ({ step }) => {
        steps.push(step.step);
        chain.height += 20;
      },
    });
    expect(steps).toEqual(['sign', 'wait', 'record']);
    expect(done.landed).toEqual({ signature: 'm#0', slot: 1001 });
  });

  it('ends with the signal and with a failed transaction', async () => {
    const chain = new ModelChain();
    chain.unreachable = true;
    const options = { signer, chain, save: async () => undefined, pollMs: 1 };
    await expect(submitMemo(intentFor('m'), { ...options, signal: AbortSignal.timeout(20) })).rejects.toThrow();
    const failing = {
      ...options,
      chain: {
        prepareMemo: (memo: string) => new ModelChain().prepareMemo(memo),
        send: async () => undefined,
        observe: async (signatures: readonly string[]): Promise<Observation> => ({
          finalizedBlockHeight: 1,
          historyFromSlot: 0,
          statuses: new Map(signatures.map((one) => [one, { state: 'finalized', slot: 1, err: 'AccountInUse' }])),
        }),
      },
    };
    await expect(submitMemo(intentFor('m'), failing)).rejects.toMatchObject({ code: 'transaction-failed' });
  });
});
