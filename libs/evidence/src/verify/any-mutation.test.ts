import type { SignedPackage } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { assemblePackage, packageTimestamp } from '../package/assemble.js';
import { contentHash } from '../package/canonical.js';
import { smallStory } from '../vectors/airline-story.js';
import { storyEvent, storyUuid, STORY_START } from '../vectors/events.js';
import { issueStory, type IssuedStory, ISSUED_AT, NETWORK, seal, type Story } from '../vectors/story-package.js';
import type { Loose } from '../vectors/tampered.js';
import type { ProblemCode } from './result.js';
import { verifyPackage } from './verify-package.js';

const { sha256 } = nodeCrypto;
const key = seededKey(new Uint8Array(32).fill(5));
const ROOT = '0'.repeat(64);

/**
 * Changes that a holder of the signing key can make, and the problem to be reported; `null`: there is nothing to
 * change.
 */
const MUTATIONS: Readonly<Record<string, (content: Loose, n: number) => ProblemCode | null>> = {
  'an event inside of a run is left out': (content, n) => {
    const inside = content.events
      .map((_: unknown, i: number) => i)
      .filter((i: number) =>
        [i - 1, i + 1].every((j) => content.events[j]?.event.agentId === content.events[i].event.agentId),
      );
    if (inside.length === 0) return null;
    const index = inside[n % inside.length];
    content.events.splice(index, 1);
    content.inclusionProofs.splice(index, 1);
    return 'sequence-missing';
  },
  'an event is there twice': (content, n) => {
    const index = n % content.events.length;
    content.events.push(content.events[index]);
    content.inclusionProofs.push(content.inclusionProofs[index]);
    return 'duplicate-event';
  },
  'a leaf says something else': (content, n) => {
    const index = n % content.events.length;
    const { event } = content.events[index];
    event.occurredAt = new Date(Date.parse(event.occurredAt) + 1).toISOString();
    return content.inclusionProofs[index].anchored ? 'proof-root-differs' : null;
  },
  'an opening shows something else': (content, n) => {
    const { opened } = content.events[n % content.events.length];
    opened.action.value = { other: opened.action.value };
    return 'opening-wrong';
  },
  'a status is another': (content, n) => {
    const entry = content.events[n % content.events.length];
    entry.status = entry.status === 'Prevented' ? 'Satisfied' : 'Prevented';
    entry.statusReason = null;
    return 'status-differs';
  },
  'a control has another status than its event': (content, n) => {
    const entry = content.events[n % content.events.length];
    entry.controls = [{ framework: 'soc2', controlId: 'CC6.1', title: 't', relation: 'direct', status: 'Satisfied' }];
    entry.controls[0].status = entry.status === 'Prevented' ? 'Satisfied' : 'Prevented';
    return 'control-status-differs';
  },
  'a proof belongs to another event': (content, n) => {
    const index = n % content.events.length;
    content.inclusionProofs[index].eventId = content.reportId;
    return 'proof-event-differs';
  },
  'a proof leads to another root': (content, n) => {
    const anchored = content.inclusionProofs.filter((proof: Loose) => proof.anchored);
    if (anchored.length === 0) return null;
    anchored[n % anchored.length].merkleRoot = ROOT;
    return 'proof-root-differs';
  },
  'a window has another root': (content, n) => {
    if (content.windows.length === 0) return null;
    content.windows[n % content.windows.length].merkleRoot = ROOT;
    return 'window-root-differs';
  },
  'a window is left out': (content, n) => {
    if (content.windows.length === 0) return null;
    content.windows.splice(n % content.windows.length, 1);
    return 'window-missing';
  },
  'an agent has other figures': (content, n) => {
    content.agents[n % content.agents.length].count += 1;
    return 'agent-figures-differ';
  },
  'an agent is left out': (content, n) => {
    content.agents.splice(n % content.agents.length, 1);
    return 'agent-unknown';
  },
  'a figure of the summary is another': (content) => {
    content.summary.events += 1;
    return 'summary-differs';
  },
};

const allowed = fc.record({ action: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), refused: fc.boolean() });
const agents = fc.array(fc.array(allowed, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 3 });

function issued(given: readonly (readonly { action: Loose; refused: boolean }[])[], perWindow: number): IssuedStory {
  const story: Story = {
    ...smallStory(sha256),
    agents: given.map((drafts, a) => {
      const id = storyUuid(`mutated agent ${a}`, STORY_START, sha256);
      const events = drafts.map(({ action, refused }, i) => {
        const place = { agentId: id, eventId: storyUuid(`${a}/${i}`, STORY_START + i, sha256), atMs: STORY_START + i };
        const check = { actionKind: 'tool_use', profileVersion: 1, profileSha256: ROOT } as const;
        const denial = { reason: 'r', severity: 'P3', violation_type: 'rate_limit_exceeded' } as const;
        const fields = refused
          ? { ...check, ...denial, outcome: 'denied' as const, allowed: false }
          : { ...check, outcome: 'allowed' as const, allowed: true };
        return storyEvent({ type: 'action.checked', fields, action }, place, sha256);
      });
      const windows = events.map((_, i) => (i >= 7 ? null : Math.floor(i / perWindow)));
      return { id, name: `agent ${a}`, firstSequence: 1 + a, events, windows };
    }),
  };
  return issueStory(story, key, sha256);
}

function problemsOf(pkg: SignedPackage, { authority, transactions }: IssuedStory): readonly ProblemCode[] {
  const { problems } = verifyPackage(pkg, {
    crypto: nodeCrypto,
    keys: [{ publicKey: key.publicKey, status: 'active', validFrom: null, validTo: null }],
    chain: { network: NETWORK, authorities: [authority], transactions: new Map(Object.entries(transactions)) },
  });
  return problems.map(({ code }) => code);
}

describe('any events, in a package that is changed and signed again', () => {
  it.each(Object.entries(MUTATIONS))('are refused where %s, with that problem', (_what, mutate) => {
    let changes = 0;
    fc.assert(
      fc.property(agents, fc.integer({ min: 1, max: 4 }), fc.nat(1000), (given, perWindow, n) => {
        const sound = issued(given, perWindow);
        expect(problemsOf(sound.pkg, sound)).toEqual([]);
        const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...rest } = sound.pkg;
        const content: Loose = JSON.parse(JSON.stringify(assemblePackage(rest)));
        const code = mutate(content, n);
        if (code === null) return;
        changes += 1;
        const timestamp = packageTimestamp(contentHash(content, sha256), ISSUED_AT, null);
        expect(problemsOf(seal(content, timestamp, key, sha256), sound)).toContain(code);
      }),
      { numRuns: 30 },
    );
    expect(changes).toBeGreaterThan(0);
  });

  it('are refused with any byte of hash or signature changed, with the problem that names it', () => {
    fc.assert(
      fc.property(agents, fc.nat(63), (given, at) => {
        const sound = issued(given, 2);
        const { sha256: hash, signature } = sound.pkg;
        const other = hash.slice(0, at) + (hash[at] === '0' ? '1' : '0') + hash.slice(at + 1);
        expect(problemsOf({ ...sound.pkg, sha256: other }, sound)).toContain('sha256-differs');
        const bytes = Buffer.from(signature, 'base64');
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        expect(problemsOf({ ...sound.pkg, signature: bytes.toString('base64') }, sound)).toContain('signature-invalid');
      }),
      { numRuns: 30 },
    );
  });
});
