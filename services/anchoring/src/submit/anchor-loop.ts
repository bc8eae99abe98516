import { BackgroundLoop, messageOf } from '@countersign/async';
import { ChainUnavailable, type Chain } from '@countersign/chain';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import { AuthorityFunds } from '../authority/authority-funds.js';
import type { AuthorityKey } from '../authority/authority-key.js';
import type { AnchoringMetrics } from '../metrics.js';
import type { AnchorPublisher } from '../publish/anchor-publisher.js';
import { authorityRecord } from '../publish/anchor-records.js';
import type { AnchorStore } from '../store/port.js';
import type { ChainClock } from '../watch-chain/chain-clock.js';
import { AnchorSubmitter } from './anchor-submitter.js';
import { ChainTimes } from './chain-times.js';

const POLL_MS = 400;
const IDLE_MS = 5_000;
const RETRY_MS = 1_000;

interface Connected {
  readonly funds: AuthorityFunds;
  readonly submitter: AnchorSubmitter;
}

/** From a closed window or a requested report to a finalized transaction that is published. */
export class AnchorLoop {
  readonly #context: ServiceContext;
  readonly #store: AnchorStore;
  readonly #key: AuthorityKey;
  readonly #publisher: AnchorPublisher;
  readonly #metrics: AnchoringMetrics;
  readonly #chainClock: Pick<ChainClock, 'saw'>;
  readonly #loop: BackgroundLoop;
  #connected: Connected | null = null;
  #problem: string | null = null;

  constructor(
    context: ServiceContext,
    store: AnchorStore,
    key: AuthorityKey,
    publisher: AnchorPublisher,
    metrics: AnchoringMetrics,
    chainClock: Pick<ChainClock, 'saw'>,
  ) {
    this.#chainClock = chainClock;
    this.#context = context;
    this.#store = store;
    this.#key = key;
    this.#publisher = publisher;
    this.#metrics = metrics;
    this.#loop = new BackgroundLoop(
      () => this.#once(),
      (error) => {
        this.#problem = `anchors wait: ${messageOf(error)}`;
        // `watch-chain/` reports a chain that does not answer.
        if (!(error instanceof ChainUnavailable))
          context.log.warn({ err: error }, 'anchors wait for the chain or the log');
        metrics.failed('chain');
        return RETRY_MS;
      },
    );
  }

  readonly poke = (): void => this.#loop.poke();

  /** Reasons why anchors are not made; empty when there are none. A chain that does not answer only queues them. */
  problems(): readonly string[] {
    const funds = this.#connected?.funds.problem() ?? null;
    const held = this.#connected?.submitter.problems() ?? [];
    return [this.#problem, funds, ...held].filter((problem): problem is string => problem !== null);
  }

  /** Why the service must not be relied on: it cannot pay. */
  fundsProblem(): string | null {
    return this.#connected?.funds.problem() ?? null;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #once(): Promise<number> {
    // Before the chain is asked, which may not answer.
    this.#metrics.waiting(await this.#store.waiting());
    const cadences = (await this.#store.cadences()).map(({ cadenceSeconds }) => cadenceSeconds);
    this.#metrics.cadence(cadences.length === 0 ? null : Math.min(...cadences));
    const { funds, submitter } = (this.#connected ??= await this.#connect());
    const sufficient = await funds.suffice();
    const { open } = sufficient ? await submitter.round() : { open: 1 };
    await this.#publisher.publishAnchored();
    this.#metrics.waiting(await this.#store.waiting());
    this.#problem = null;
    return open > 0 ? POLL_MS : IDLE_MS;
  }

  async #connect(): Promise<Connected> {
    const chain: Chain = await this.#context.chain();
    const { clock, log, eventLog } = this.#context;
    const authority = { address: this.#key.publicKey, network: await chain.network() };
    await eventLog.append([authorityRecord(authority)]);
    const submitter = new AnchorSubmitter(this.#store, {
      chain,
      signer: this.#key,
      network: authority.network,
      sha256: nodeCrypto.sha256,
      clock,
      log,
      failed: this.#metrics.failed,
      reached: new ChainTimes(chain, (ms) => this.#chainClock.saw(ms)).reached,
    });
    return { submitter, funds: new AuthorityFunds(chain, authority.address, log, clock, this.#metrics.funded) };
  }
}
