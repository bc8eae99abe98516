import { join } from 'node:path';
import {
  openSolanaChain,
  readLedger,
  startLocalnet,
  ChainUnavailable,
  type Chain,
  type Localnet,
} from '@countersign/chain';
import { reportMemo } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { pino } from 'pino';
import { AuthorityFunds } from '../authority/authority-funds.js';
import { authorityKey, type AuthorityKey } from '../authority/authority-key.js';
import { proofSource } from '../prove/proof-source.js';
import { agentId, envelope } from '../testing/envelopes.js';
import { backends } from '../testing/backends.js';
import { House } from '../testing/house.js';
import { AnchorSubmitter } from './anchor-submitter.js';

const log = pino({ level: 'silent' });

for (const backend of backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']))
  (backend.available ? describe : describe.skip)(`AnchorSubmitter on ${backend.name}`, () => {
    let house: House;
    let localnet: Localnet;
    let chain: Chain;
    let key: AuthorityKey;
    let failures: string[];

    beforeEach(async () => {
      failures = [];
      house = await House.open({ openStore: backend.openStore });
      localnet = await startLocalnet({ dir: join(house.directory, 'ledger'), port: 0, finalityMs: 400 });
      chain = await openSolanaChain({ urls: localnet.rpcUrl });
      key = await authorityKey(house.directory, async () => null);
      const balances: number[] = [];
      const funds = new AuthorityFunds(
        chain,
        key.publicKey,
        log,
        () => Date.now(),
        (lamports) => balances.push(lamports),
      );
      for (let tries = 0; !(await funds.suffice()); tries += 1) {
        if (tries > 100) throw new Error('no lamports came');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(balances.at(-1)).toBeGreaterThanOrEqual(1_000_000);
      await house.append(envelope({ n: 1, agent: 1 }), envelope({ n: 2, agent: 2 }), envelope({ n: 3, agent: 1 }));
      await house.takeAll();
      house.nowMs += 2_000;
      await house.closeDue();
    }, 60_000);

    afterEach(async () => {
      await chain.close();
      await localnet.close();
      await house.close();
      await backend.clear();
    });
    afterAll(() => backend.end());

    const submitter = (over: Partial<Chain> = {}): AnchorSubmitter =>
      new AnchorSubmitter(house.store, {
        chain: {
          prepareMemo: over.prepareMemo ?? ((memo, signer) => chain.prepareMemo(memo, signer)),
          send: over.send ?? ((wire) => chain.send(wire)),
          observe: over.observe ?? ((signatures) => chain.observe(signatures)),
          transaction: over.transaction ?? ((signature) => chain.transaction(signature)),
        },
        signer: key,
        network: 'solana:localnet',
        sha256: nodeCrypto.sha256,
        clock: () => Date.now(),
        log,
        failed: (kind) => failures.push(kind),
      });

    /** Rounds until nothing is open. */
    async function finish(rounds: AnchorSubmitter): Promise<void> {
      for (let tries = 0; tries < 100; tries += 1) {
        if ((await rounds.round()).open === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`still open: ${rounds.problems().join('; ')}`);
    }

    function memosOnChain(): string[] {
      const ledger = readLedgerNow();
      return ledger.filter((memo) => memo.startsWith('countersign/1'));
    }

    let readLedgerNow: () => string[];
    beforeEach(async () => {
      const reader = await readLedger(join(house.directory, 'ledger'));
      readLedgerNow = () => [...reader!.transactions()].flatMap(({ memos }) => memos);
    });

    it('anchors a window and a report once each, and publishes them', async () => {
      const contentHash = 'ab'.repeat(32);
      const memo = reportMemo(contentHash);
      const position = { topic: 'anchor-requests', partition: 0, next: 1 } as const;
      await house.store.requestReports([{ reportId: 'r1', contentHash, memo }], position);
      await house.store.requestReports([{ reportId: 'r1', contentHash, memo }], position);
      await finish(submitter());
      await house.publisher.publishAnchored();

      const window = (await house.store.closedWindow('1-1'))!;
      expect(memosOnChain().sort()).toEqual([
        memo,
        expect.stringMatching(
          new RegExp(`^countersign/1 root=${window.merkleRoot} prev=0 window=.*/PT1S agents=2 events=3$`),
        ),
      ]);
      const anchors = await house.anchors();
      expect(anchors.get('report:r1')).toMatchObject({ kind: 'report', contentHash, authority: key.publicKey });
      expect(anchors.get('window:1-1:0')).toMatchObject({
        kind: 'window',
        merkleRoot: window.merkleRoot,
        prev: '0',
        agentCount: 2,
        eventCount: 3,
        network: 'solana:localnet',
        authority: key.publicKey,
        chunk: 0,
        chunks: 1,
      });
      expect((await house.store.waiting()).windows).toBe(0);

      const [proof] = await proofSource(house.store, nodeCrypto.sha256).windows(agentId(1), 1, 2);
      expect(proof).toMatchObject({ merkleRoot: window.merkleRoot, treeSize: 2, leaf: { count: 2, firstSequence: 1 } });
      expect(failures).toEqual([]);
    });

    it('anchors once when the process ends at any step', async () => {
      const end = (): Promise<never> => Promise.reject(new Error('the process ends here'));
      const calls: (readonly [string, () => AnchorSubmitter])[] = [
        ['prepareMemo', () => submitter({ prepareMemo: end })],
        ['save before send', () => breakStore('saveSubmission')],
        ['send', () => submitter({ send: end })],
        [
          'after send',
          () =>
            submitter({
              send: async (wire) => {
                await chain.send(wire);
                return end();
              },
            }),
        ],
        ['observe', () => submitter({ observe: end })],
        ['save landed', () => breakStore('saveSubmission')],
        ['save anchored', () => breakStore('saveAnchored')],
      ];
      function breakStore(method: 'saveSubmission' | 'saveAnchored'): AnchorSubmitter {
        (house.store as unknown as Record<string, unknown>)[method] = end;
        return submitter();
      }
      const endedAt: string[] = [];
      for (const [name, broken] of calls) {
        const rounds = broken();
        for (let tries = 0; tries < 150; tries += 1) {
          const ended = await rounds.round().then(
            () => false,
            (error: Error) => error.message === 'the process ends here',
          );
          if (ended) {
            endedAt.push(name);
            break;
          }
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        await house.restart();
      }
      expect(endedAt).toEqual(calls.map(([name]) => name));
      await finish(submitter());
      expect(memosOnChain()).toHaveLength(1);
    }, 60_000);

    it('publishes once more, unchanged, what a crash left unmarked', async () => {
      await finish(submitter());
      const mark = house.store as unknown as Record<string, unknown>;
      mark['markChunkPublished'] = () => Promise.reject(new Error('the process ends here'));
      await expect(house.publisher.publishAnchored()).rejects.toThrow('the process ends here');
      const before = (await house.anchors()).get('window:1-1:0');
      await house.restart();
      await house.publisher.publishAnchored();
      expect((await house.anchors()).get('window:1-1:0')).toEqual(before);
    });

    it('only queues while the chain is out of reach', async () => {
      const away = (): Promise<never> => Promise.reject(new ChainUnavailable('network', 'no node answers'));
      const rounds = submitter({ prepareMemo: away, observe: away });
      expect(await rounds.round()).toEqual({ open: 1, anchored: 0 });
      expect(rounds.problems()).toEqual([expect.stringContaining('no node answers')]);
      await finish(submitter());
      expect(memosOnChain()).toHaveLength(1);
    });

    it('holds a window back whose transaction says something else', async () => {
      const rounds = submitter({
        transaction: async (signature) => {
          const found = await chain.transaction(signature);
          return found === null ? null : { ...found, memos: ['countersign/1 root=another'] };
        },
      });
      await finish(rounds);
      expect(failures).toEqual(['equivocation']);
      expect((await house.store.waiting()).windows).toBe(1);
      expect(rounds.problems()[0]).toContain('window:1-1 is held back');
    });
  });
