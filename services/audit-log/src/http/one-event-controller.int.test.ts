import type { AnchoredProof } from '@countersign/contracts';
import { MerkleTree, leafHashOf, proofFor, toHex, verifyEventProof, windowTree } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { versionedRecord } from '@countersign/topics';
import { anchoredWindow } from '../testing/anchored-window.js';
import { agentId, denied, envelope, eventId, other } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

const { sha256 } = nodeCrypto;
const salt = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('routes about one event', () => {
  const service = new RunningAuditLog();
  const check = denied(1);
  const events = [
    check,
    envelope(2),
    other(3, 'action.outcome', {
      refersTo: eventId(2),
      leaf: { action: null, outcome: 'failed', payload: 'ab'.repeat(32) },
      openings: { payload: { salt, value: { why: 'no route to host' } } },
    }),
    other(4, 'action.unanswered', { refersTo: eventId(2), leaf: { action: null }, openings: {} }),
    other(5, 'content.erased', { refersTo: eventId(1) }),
  ];

  beforeAll(async () => {
    await service.start();
    await service.addAgent(agentId(1));
    await service.append(...events, envelope(6, { agent: 2, accountId: OTHER_ACCOUNT }));
    const window = anchoredWindow(1, agentId(1), 1, 3);
    await service.context.eventLog.append([versionedRecord('anchors', 'window:1-1:0', 1, window)]);
    await service.eventually(async () => {
      expect((await service.ask('auditor', `/v1/events/${eventId(3)}`)).body).toMatchObject({ anchored: true });
    });
  }, 60_000);
  afterAll(() => service.stop());

  it('show the leaf with what opens it, its window and what was reported', async () => {
    const { status, body } = await service.ask('auditor', `/v1/events/${eventId(2).toUpperCase()}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...(await service.ask('auditor', '/v1/events?limit=10')).body.events.find(
        (one: { eventId: string }) => one.eventId === eventId(2),
      ),
      leaf: envelope(2).leaf,
      opened: envelope(2).openings,
      erased: false,
      coverage: 'governed',
      apiKeyId: null,
      profileSha256: envelope(2).leaf.profileSha256,
      window: {
        ...{ windowStart: '2026-03-01T09:30:01.000Z', windowEnd: '2026-03-01T09:30:02.000Z' },
        ...{ merkleRoot: '1'.padStart(64, 'a'), txSignature: 'signature 1', blockHeight: 1 },
        ...{ anchoredAt: '2026-03-01T09:30:03.000Z', firstSequence: 1, lastSequence: 3 },
      },
      dueBy: null,
      outcomes: [
        {
          ...{ eventId: eventId(3), occurredAt: events[2]!.leaf.occurredAt, sequence: 3 },
          ...{ outcome: 'failed', detail: { why: 'no route to host' } },
        },
      ],
      unanswered: true,
      followUps: [],
    });
  });

  it('show what was erased, and when an event that is not anchored is due', async () => {
    const { body } = await service.ask('auditor', `/v1/events/${eventId(1)}`);
    expect(body).toMatchObject({ erased: true, opened: {}, action: null, rule: 'allowed_apis:', outcomes: [] });
    const order = await service.ask('auditor', `/v1/events/${eventId(5)}`);
    expect(order.body).toMatchObject({ window: null, dueBy: '2026-03-01T09:30:01.000Z', coverage: null });
  });

  it('are 503 without anchoring, and give what verifies once it is there', async () => {
    const path = `/v1/events/${eventId(2)}/proof`;
    const away = await service.ask('auditor', path);
    expect(away).toEqual({ status: 503, body: { error: expect.stringContaining('anchoring cannot be reached') } });
    const pending = await service.ask('auditor', `/v1/events/${eventId(5)}/proof`);
    expect(pending).toEqual({
      status: 200,
      body: { event: events[4]!.leaf, proof: { eventId: eventId(5), anchored: false } },
    });

    const leaves = events.slice(0, 3).map(({ leaf }) => leafHashOf(leaf, sha256));
    const tree = windowTree([{ agentId: agentId(1), firstSequence: 1, leaves }], sha256);
    const [own] = tree.agents;
    const anchored = {
      ...{ windowStart: '2026-03-01T09:30:01.000Z', windowEnd: '2026-03-01T09:30:02.000Z' },
      ...{ merkleRoot: tree.merkleRoot, txSignature: '5'.repeat(88), network: 'solana:localnet' },
      ...{ leaf: own!.leaf, leafIndex: 0, treeSize: 1, path: [] },
    };
    service.context.provide('proof-source', {
      windows: async () => [],
      leafHashes: async () => leaves.map(toHex),
      proof: async (_agent, sequence, id): Promise<AnchoredProof> =>
        proofFor({ eventId: id, sequence }, new MerkleTree(leaves, sha256), anchored),
    });
    const { status, body } = await service.ask('auditor', path);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['event', 'proof']);
    const verdict = verifyEventProof(body.event, body.proof, { crypto: nodeCrypto, chain: null });
    expect(verdict).toMatchObject({ problems: [], event: { rootMatches: true, anchored: true } });
    const other = await service.ask('auditor', `/v1/events/${eventId(1)}/proof`);
    expect(verifyEventProof(body.event, other.body.proof, { crypto: nodeCrypto, chain: null }).ok).toBe(false);
  });

  it.each(['', '/proof'])('refuse what is malformed, unknown or of another account%s', async (part) => {
    const statuses = async (who: string | null, id: string): Promise<number> =>
      (await service.ask(who, `/v1/events/${id}${part}`)).status;
    expect(await statuses('auditor', 'unknown')).toBe(400);
    expect(await statuses(null, eventId(2))).toBe(401);
    const none = await service.ask('auditor', `/v1/events/${eventId(99)}${part}`);
    expect(none.status).toBe(404);
    expect(await service.ask('auditor', `/v1/events/${eventId(6)}${part}`)).toEqual(none);
    expect(await service.ask('stranger', `/v1/events/${eventId(2)}${part}`)).toEqual(none);
    expect(await statuses('stranger', eventId(6))).toBe(200);
  });
});
