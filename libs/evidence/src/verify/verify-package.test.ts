import type { PackageContent, SignedPackage } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { canonicalize } from '../json/canonicalize.js';
import { JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '../json/parse-strict.js';
import { commitV2 } from '../leaf/commitment.js';
import { discloseMembers } from '../leaf/opening.js';
import { assemblePackage, packageTimestamp } from '../package/assemble.js';
import { contentHash, packageCanonicalBytes, packageDigests } from '../package/canonical.js';
import { airlineStory, smallStory } from '../vectors/airline-story.js';
import { type Draft, STORY_START, storyEvent, storyUuid } from '../vectors/events.js';
import { mixedStory } from '../vectors/leaf-v2-story.js';
import { issueStory, type IssuedStory, ISSUED_AT, NETWORK, seal, type Story } from '../vectors/story-package.js';
import type { Loose } from '../vectors/tampered.js';
import { eventAnswer, packageAnswer } from './inclusion-answer.js';
import { verifyEventProof } from './event-proof.js';
import type { VerifyOptions } from './options.js';
import type { VerificationResult } from './result.js';
import { transactionsToAsk } from './transactions-to-ask.js';
import { verifyPackage } from './verify-package.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

const { sha256 } = nodeCrypto;
const key = seededKey(new Uint8Array(32).fill(9));
const copy = (value: unknown): Loose => JSON.parse(JSON.stringify(value));
const airline = issueStory(airlineStory(sha256), key, sha256);

function options(issued: IssuedStory): VerifyOptions {
  return {
    crypto: nodeCrypto,
    keys: [{ publicKey: key.publicKey, status: 'active', validFrom: null, validTo: null }],
    chain: {
      network: NETWORK,
      authorities: [issued.authority],
      transactions: new Map(Object.entries(issued.transactions)),
    },
  };
}

const verify = (issued: IssuedStory, pkg: unknown = issued.pkg): VerificationResult =>
  verifyPackage(pkg, options(issued));
const firstCode = (result: VerificationResult): string | null => result.problems[0]?.code ?? null;

/** Changed, its summary counted again, and signed again without an anchor. */
function reissued(issued: IssuedStory, change: (content: Loose) => void): SignedPackage {
  const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...content } = copy(issued.pkg);
  change(content);
  const whole = assemblePackage(content as PackageContent);
  return seal(whole, packageTimestamp(contentHash(whole, sha256), ISSUED_AT, null), key, sha256);
}

describe('verifyPackage', () => {
  it('does not report a network with its own genesis as public', () => {
    const network = 'solana:localnet';
    const own = JSON.parse(JSON.stringify(airline.pkg).replaceAll(NETWORK, network)) as SignedPackage;
    const pkg = reissued({ ...airline, pkg: own }, () => undefined);
    const { chain, ...given } = options(airline);
    const asked = { ...chain!, network, authorities: [{ ...airline.authority, network }] };
    const result = verifyPackage(pkg, { ...given, chain: asked });
    expect(result).toMatchObject({ ok: true, vouched: { issuer: true, anchor: true } });
    expect(result.notChecked.join()).toContain(`a public network: ${network}`);
    expect(verify(airline).notChecked.join()).not.toContain('public network');
  });

  it('reports what was checked and what could not be', () => {
    const result = verify(airline);
    expect(result.problems).toEqual([]);
    expect(result).toMatchObject({ ok: true, anchoredCount: 18, unanchoredCount: 2, sha256: airline.pkg.sha256 });
    expect(result.signature).toMatchObject({ checked: true, valid: true });
    expect(result.notChecked).toEqual([
      '2 commitments without an opening (withheld or erased)',
      '1 payload not kept: who has the payload can compare it',
      expect.stringContaining('dated after its own block time, such as events[10] of 2026-03-02T11:00:00.000Z'),
      expect.stringContaining('its transactions were not read'),
      '2 events not anchored yet: there is nothing to prove',
    ]);
    expect(result.unsettled.map(({ code }) => code)).toEqual(['event-ahead', 'chain-not-walked']);
    expect(result.windowTimes[0]).toMatchObject({ anchoredAt: '2026-03-02T10:16:40.000Z', secondsAfterEnd: 700 });
    const alone = verifyPackage(airline.pkg, { crypto: nodeCrypto, keys: null, chain: null });
    expect(alone.ok).toBe(true);
    expect(alone.signature).toMatchObject({ checked: false, valid: false });
    expect(alone.notChecked.join('\n')).toMatch(
      /no key was given[^]*5 transactions on the chain: No chain was asked\./,
    );
    expect(alone.chain).toMatchObject({ checked: false, onChain: false });
  });

  it('says how many members are withheld of openings that are shown in part', () => {
    const mixed = issueStory(mixedStory(sha256), key, sha256);
    const show = (entry: Loose, kind: 'action' | 'context', ...names: string[]): void => {
      const { salt, value } = entry.opened[kind];
      entry.opened[kind] = discloseMembers(kind, salt, value, new Set(names), sha256);
    };
    const pkg = reissued(mixed, ({ events }) => {
      show(events[2], 'action', 'type', 'tool_name');
      show(events[2], 'context', 'effect');
      show(events[3], 'action', 'type', 'tool_name');
    });
    const result = verify(mixed, pkg);
    expect(result.problems).toEqual([]);
    expect(result.checked).toContain('16 openings against the commitments');
    expect(result.notChecked).toContain('6 members withheld of 2 openings shown in part');
    expect(verify(mixed).notChecked.join()).not.toContain('in part');
  });

  it('names what is wrong with a context', () => {
    const mixed = issueStory(mixedStory(sha256), key, sha256);
    const pkg = reissued(mixed, ({ events }) => {
      const { event, opened } = events[5];
      const value = { ...opened.context.value, trace: 'none' };
      opened.context.value = value;
      event.context = commitV2('context', opened.context.salt, value, sha256);
    });
    expect(verify(mixed, pkg).problems).toEqual([
      {
        code: 'opening-inconsistent',
        path: 'events[5].opened.context',
        message: 'The context is malformed: trace must be a traceparent.',
        eventId: mixed.pkg.events[5]!.event.eventId,
      },
    ]);
  });

  it('names the first problem of what is not a package at all', () => {
    expect(firstCode(verify(airline, null))).toBe('structure');
    expect(firstCode(verify(airline, []))).toBe('structure');
    expect(firstCode(verify(airline, {}))).toBe('unsupported-canonicalization');
    expect(firstCode(verify(airline, { ...airline.pkg, note: '\ud800' }))).toBe('not-canonical');
    expect(firstCode(verify(airline, { ...airline.pkg, signature: 1 }))).toBe('verification-fields');
    const throwing = {
      ...nodeCrypto,
      sha256: () => {
        throw new Error('broken');
      },
    };
    expect(() => verifyPackage(airline.pkg, { crypto: throwing, keys: null, chain: null })).toThrow('broken');
  });

  it('never throws on any JSON in place of a member', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(airline.pkg)), fc.jsonValue(), (name, value) => {
        expect(verify(airline, { ...airline.pkg, [name]: value }).ok).toBe(
          canonicalize(value) === canonicalize((airline.pkg as Loose)[name]),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('names a gap between the windows of an agent', () => {
    const pkg = reissued(airline, (content) => {
      const gone = content.windows.find((window: Loose) => window.leaf.firstSequence === 11);
      content.windows = content.windows.filter((window: Loose) => window !== gone);
      content.inclusionProofs = content.inclusionProofs.map((proof: Loose) =>
        proof.merkleRoot === gone.merkleRoot ? { eventId: proof.eventId, anchored: false } : proof,
      );
    });
    expect(verify(airline, pkg).problems.map(({ code }) => code)).toEqual(['window-gap']);
  });

  it('names missing numbers as ranges, however far apart', () => {
    const pkg = reissued(airline, (content) => (content.events[15].sequence = 2 ** 52));
    const missing = verify(airline, pkg).problems.find(({ code }) => code === 'sequence-missing');
    expect(missing?.message).toBe(`Numbers 22 to ${2 ** 52 - 1} of agent ${airline.pkg.agents[0]!.id} are missing.`);
  });

  it('names a run that ends outside the range', () => {
    const pkg = reissued(airline, (content) => {
      content.range.to = content.events[15].event.occurredAt;
      content.events[15].outsideRange = true;
    });
    expect(verify(airline, pkg).problems).toMatchObject([
      { code: 'range-mark-wrong', path: 'events[15].outsideRange' },
    ]);
  });

  it('names a profile that is not the one whose hash the leaf holds', () => {
    const story = airlineStory(sha256);
    const [booking] = story.agents;
    const { leaf } = booking!.events[1]!;
    const draft: Draft = {
      type: 'profile.changed',
      fields: { profileVersion: 3, profileSha256: leaf.profileSha256! },
      action: { profile: { version: 3 }, by: null },
    };
    const event = storyEvent(
      draft,
      { agentId: leaf.agentId, eventId: leaf.eventId, atMs: Date.parse(leaf.occurredAt) },
      sha256,
    );
    const events = booking!.events.map((other, i) => (i === 1 ? event : other));
    const issued = issueStory({ ...story, agents: [{ ...booking!, events }] }, key, sha256);
    expect(verify(issued).problems.map(({ code }) => code)).toEqual(['profile-differs']);
  });

  it.each<[string, string, (content: Loose) => void]>([
    ['an erasure of nothing', 'opening-inconsistent', (content) => (content.events[12].erased = true)],
    ['a control that was not asked for', 'structure', (content) => (content.events[0].controls[0].framework = 'nydfs')],
    ['an agent listed twice', 'structure', (content) => content.agents.push({ ...content.agents[0] })],
    [
      'an agent with figures and no events',
      'agent-figures-differ',
      (content) => content.agents.push({ ...content.agents[0], id: content.reportId, anchors: [] }),
    ],
    [
      'two sizes of one root',
      'window-differs',
      (content) => content.windows.push({ ...content.windows[0], leafIndex: 0, treeSize: 9 }),
    ],
    ['a window listed twice', 'window-differs', (content) => content.windows.push(content.windows[0])],
    [
      'an anchor in another block',
      'transaction-height-differs',
      (content) => (content.agents[0].anchors[0].chain_block_height += 1),
    ],
    ['a figure that is no number', 'structure', (content) => (content.agents[0].anchors[0].chain_block_height = -1)],
  ])('names %s', (_name, code, change) => {
    expect(verify(airline, reissued(airline, change)).problems.map((problem) => problem.code)).toContain(code);
  });

  it('takes an agent without events', () => {
    const quiet = { firstSequence: null, lastSequence: null, count: 0, anchors: [] };
    const pkg = reissued(airline, (content) =>
      content.agents.push({ ...content.agents[0], ...quiet, id: content.reportId }),
    );
    expect(verify(airline, pkg).problems).toEqual([]);
  });

  it('requires the transaction to exist, to be final, and to be a report', () => {
    const own = airline.pkg.timestamp.anchor_tx_signature!;
    const window = airline.pkg.windows[0]!.txSignature;
    const withChain = (change: (transactions: Map<string, Loose>) => void): VerificationResult => {
      const given = options(airline);
      const transactions = new Map<string, Loose>(given.chain!.transactions);
      change(transactions);
      return verifyPackage(airline.pkg, { ...given, chain: { ...given.chain!, transactions } });
    };
    const set = (id: string, more: Loose) => (map: Map<string, Loose>) => void map.set(id, { ...map.get(id), ...more });
    expect(firstCode(withChain(set(own, { memos: [] })))).toBe('transaction-memo');
    for (const left of [withChain((map) => map.delete(own)), withChain(set(own, { finalized: false }))]) {
      expect(left.ok).toBe(true);
      expect(left.signature.provenTime).toBeNull();
      expect(left.notChecked).toContain('time not proven: whether the key was valid when it signed');
    }
    const timeless = withChain(set(window, { blockTime: null, blockHeight: null }));
    expect(timeless.ok).toBe(true);
  });

  it('keeps a hundred problems and counts the rest', () => {
    const pkg = reissued(airline, (content) => {
      for (const entry of content.events) {
        entry.controls = Array.from({ length: 20 }, () => ({ ...entry.controls[0], status: 'Prevented' }));
      }
    });
    const result = verify(airline, pkg);
    expect(result.problems).toHaveLength(100);
    expect(result.problemCount).toBeGreaterThan(300);
  });

  it('takes a status that facts outside the report explain, and no other', () => {
    const claim = (index: number, status: string, statusReason: string | null): string | null =>
      firstCode(
        verify(
          airline,
          reissued(airline, (content) => {
            Object.assign(content.events[index], { status, statusReason });
            content.events[index].controls[0].status = status;
          }),
        ),
      );
    const gap = 'Gap, review required';
    expect(claim(18, gap, 'The check was refused, and its execution was reported.')).toBeNull();
    expect(claim(2, gap, 'The answer to the check may not have reached its caller.')).toBeNull();
    const unproven = 'The inclusion proof or the sequence number of the event does not hold.';
    expect(claim(2, gap, unproven)).toBe('status-differs');
    expect(claim(2, gap, 'The data access names no data scope.')).toBe('status-differs');
    expect(claim(2, 'Prevented', 'The check was refused, and no execution was reported.')).toBe('status-differs');
    expect(claim(8, 'Satisfied', null)).toBe('status-differs');
    expect(claim(12, 'Satisfied', null)).toBe('status-differs');
    expect(claim(9, 'Satisfied', null)).toBe('status-differs');
  });
});

describe('any events', () => {
  const kind = fc.constantFrom('allowed', 'denied', 'created', 'outcome', 'unanswered') satisfies fc.Arbitrary<string>;
  const action = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
  const event = fc.record({ kind, action, payload: fc.option(fc.jsonValue(), { nil: undefined }), step: fc.nat(2) });
  const agents = fc.array(fc.array(event, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });

  function story(given: typeof agents extends fc.Arbitrary<infer T> ? T : never, otherAgents: number): Story {
    return {
      ...smallStory(sha256),
      otherAgents,
      agents: given.map((events, a) => {
        const id = storyUuid(`agent ${a}`, STORY_START, sha256);
        const ids = events.map((_, i) => storyUuid(`agent ${a} event ${i}`, STORY_START + i, sha256));
        let window = 0;
        const windows = events.map(({ step }, i) => (i > 8 ? null : (window += i > 0 ? step : 0)));
        const made = events.map((one, i) =>
          storyEvent(
            draftOf(one, ids[Math.max(0, i - 1)]!),
            { agentId: id, eventId: ids[i]!, atMs: STORY_START + i },
            sha256,
          ),
        );
        return { id, name: `agent ${a}`, firstSequence: 1 + a, events: made, windows };
      }),
    };
  }

  function draftOf({ kind: type, action: value, payload }: Loose, before: string): Draft {
    const check = { actionKind: 'tool_use', profileVersion: 1, profileSha256: '0'.repeat(64) } as const;
    const denied = {
      outcome: 'denied',
      allowed: false,
      reason: 'r',
      severity: 'P3',
      violation_type: 'rate_limit_exceeded',
    } as const;
    if (type === 'created') return { type: 'agent.created', action: value };
    if (type === 'outcome')
      return { type: 'action.outcome', fields: { refersTo: before, outcome: 'succeeded' }, payload };
    if (type === 'unanswered') return { type: 'action.unanswered', fields: { refersTo: before } };
    const fields =
      type === 'denied' ? { ...check, ...denied } : { ...check, outcome: 'allowed' as const, allowed: true };
    return { type: 'action.checked', fields, action: value, payload };
  }

  it('become a package that verifies, read back from its text', () => {
    fc.assert(
      fc.property(agents, fc.nat(5), (given, otherAgents) => {
        const issued = issueStory(story(given, otherAgents), key, sha256);
        const text = JSON.stringify(issued.pkg);
        const result = verify(issued, parseJsonStrict(text, VERIFICATION_LIMITS));
        expect(result.problems).toEqual([]);
        expect(result.ok).toBe(true);
        expect(packageDigests(issued.pkg, sha256)).toMatchObject({
          bytes: packageCanonicalBytes(issued.pkg),
          contentHash: contentHash(issued.pkg, sha256),
        });
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('500 mutations of a realistic package', () => {
  const text = JSON.stringify(airline.pkg);
  const origin = text.indexOf('https://countersign.example') + 1;
  const afterOrigin = text.indexOf('/v1/keys/', origin);
  const whole = canonicalize(airline.pkg);

  /** Reports whether the text was refused; a change that leaves the parsed value the same does not count. */
  function refused(changed: string): boolean {
    try {
      const value = parseJsonStrict(changed, VERIFICATION_LIMITS);
      return canonicalize(value) === whole || !verify(airline, value).ok;
    } catch (error) {
      return error instanceof JsonRefused;
    }
  }

  it('of single bytes are all refused', () => {
    const at = fc.nat(text.length - 1).filter((i) => i < origin || i >= afterOrigin);
    fc.assert(
      fc.property(
        at,
        fc.integer({ min: 0x20, max: 0x7e }),
        fc.constantFrom('replace', 'insert', 'delete'),
        (i, code, how) => {
          const character = how === 'delete' ? '' : String.fromCharCode(code);
          expect(refused(text.slice(0, i) + character + text.slice(how === 'insert' ? i : i + 1))).toBe(true);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('of single fields are all refused', () => {
    const paths: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]): void => {
      if (path.length > 0) paths.push(path);
      if (typeof value !== 'object' || value === null) return;
      for (const name of Object.keys(value)) walk((value as Loose)[name], [...path, name]);
    };
    walk(airline.pkg, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.option(fc.jsonValue(), { nil: undefined }), (path, value) => {
        const changed = copy(airline.pkg);
        const parent = path.slice(0, -1).reduce((at: Loose, name) => at[name], changed);
        const name = path[path.length - 1]!;
        if (value !== undefined) parent[name] = value;
        else if (Array.isArray(parent)) parent.splice(Number(name), 1);
        else delete parent[name];
        expect(refused(JSON.stringify(changed))).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('are accepted where they change only the origin of publicKeyUrl', () => {
    const moved = {
      ...airline.pkg,
      publicKeyUrl: airline.pkg.publicKeyUrl.replace('countersign.example', 'a.test:8080/x'),
    };
    expect(verify(airline, moved).ok).toBe(true);
  });
});

describe('the answer of POST /v1/inclusion/verify', () => {
  it('for a package is ok when the signature holds and no anchored proof fails', () => {
    const good = packageAnswer(verify(airline));
    expect(good).toMatchObject({ ok: true, anchoredCount: 18, unanchoredCount: 2, problems: [] });
    expect(good.events![19]).toMatchObject({ ok: false, anchored: false, detail: 'nothing to prove yet' });
    expect(packageAnswer(verifyPackage(airline.pkg, { crypto: nodeCrypto, keys: null, chain: null })).ok).toBe(false);
    const bent = reissued(airline, (content) => (content.inclusionProofs[0].merkleRoot = '0'.repeat(64)));
    const answer = packageAnswer(verify(airline, bent));
    expect(answer).toMatchObject({ ok: false, signature: { valid: true } });
    expect(answer.events![0]).toMatchObject({ ok: false, anchored: true, rootMatches: false });
    expect(packageAnswer(verify(airline, {})).ok).toBe(false);
    const figure = reissued(airline, (content) => (content.agents[0].count = 1));
    expect(packageAnswer(verify(airline, figure)).ok).toBe(true);
    expect(packageAnswer(verify(airline, figure)).problems).toHaveLength(1);
    const rehashed = packageAnswer(verify(airline, { ...airline.pkg, sha256: '0'.repeat(64) }));
    expect(rehashed).toMatchObject({ ok: false, signature: { valid: true }, sha256: airline.pkg.sha256 });
    expect(rehashed.detail).toBe(rehashed.problems[0]?.message);
  });

  it('for an event holds its canonical text and its hash', () => {
    const { event } = airline.pkg.events[0]!;
    const [proof] = airline.pkg.inclusionProofs;
    const answer = eventAnswer(verifyEventProof(event, proof, options(airline)));
    expect(answer).toMatchObject({ ok: true, canonical: canonicalize(event), chain: { checked: true, onChain: true } });
    expect(answer.sha256).toMatch(/^[0-9a-f]{64}$/);
    const other = eventAnswer(verifyEventProof({ eventId: 'x' }, proof, options(airline)));
    expect(other).toMatchObject({ ok: false, event: { eventId: 'x', anchored: true } });
    expect(other.canonical).toBeUndefined();
    for (const junk of [null, 1, [], {}, { anchored: false }]) {
      expect(verifyEventProof(event, junk, options(airline)).problems[0]?.code).toBe('proof-form');
      expect(verifyEventProof(junk, proof, options(airline)).problems[0]?.code).toBe('leaf-invalid');
    }
    const foreign = { eventId: airline.pkg.events[1]!.event.eventId, anchored: false };
    expect(verifyEventProof(event, foreign, options(airline)).problems[0]?.code).toBe('proof-event-differs');
  });
});

describe('transactionsToAsk', () => {
  it('names every transaction once', () => {
    const asked = transactionsToAsk(airline.pkg);
    expect(new Set(asked.map(({ txSignature }) => txSignature))).toEqual(new Set(Object.keys(airline.transactions)));
    expect(asked).toHaveLength(Object.keys(airline.transactions).length);
    expect(transactionsToAsk(airline.pkg.inclusionProofs[0])).toHaveLength(1);
    for (const junk of [null, 1, {}, { inclusionProofs: [1, {}], timestamp: [] }])
      expect(transactionsToAsk(junk)).toEqual([]);
  });
});

describe('assemblePackage', () => {
  it('refuses a proof that is not its event’s', () => {
    const { events, inclusionProofs } = airline.pkg;
    const swapped = [inclusionProofs[1]!, inclusionProofs[0]!, ...inclusionProofs.slice(2)];
    expect(() => assemblePackage({ ...airline.pkg, inclusionProofs: swapped })).toThrow(RangeError);
    expect(() => assemblePackage({ ...airline.pkg, events: events.slice(1), inclusionProofs })).toThrow(RangeError);
  });
});

describe('ten thousand events', () => {
  it('verify', () => {
    const base = smallStory(sha256);
    const id = storyUuid('busy', STORY_START, sha256);
    const events = Array.from({ length: 10_000 }, (_, i) =>
      storyEvent(
        {
          type: 'action.checked',
          fields: {
            outcome: 'allowed',
            allowed: true,
            actionKind: 'tool_use',
            profileVersion: 1,
            profileSha256: '0'.repeat(64),
          },
          action: { type: 'tool_use', tool_name: 'search', metadata: { query: `flights ${i}`, page: i } },
        },
        { agentId: id, eventId: storyUuid(`busy ${i}`, STORY_START + i, sha256), atMs: STORY_START + i },
        sha256,
      ),
    );
    const agent = { id, name: 'busy', firstSequence: 1, events, windows: events.map((_, i) => Math.floor(i / 1000)) };
    const issued = issueStory({ ...base, agents: [agent] }, key, sha256);
    expect(verify(issued).problems).toEqual([]);
  });
});
