import type { JsonValue, SignedPackage } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { hasMembers } from '../leaf/commitment.js';
import { discloseMembers } from '../leaf/opening.js';
import { assemblePackage, packageTimestamp } from '../package/assemble.js';
import { contentHash } from '../package/canonical.js';
import { smallStory } from '../vectors/airline-story.js';
import { resigned } from '../vectors/cases.js';
import { storyEvent, storyUuid, STORY_START } from '../vectors/events.js';
import { contextOf } from '../vectors/leaf-v2-story.js';
import { issueStory, type IssuedStory, ISSUED_AT, NETWORK, seal, type Story } from '../vectors/story-package.js';
import type { Loose } from '../vectors/tampered.js';
import type { ProblemCode } from './result.js';
import { verifyPackage } from './verify-package.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

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
    const { action } = content.events[n % content.events.length].opened;
    const shown = action.members?.find((entry: unknown) => typeof entry !== 'string') ?? action;
    shown.value = { other: shown.value };
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

const allowed = fc.record({
  action: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
  refused: fc.boolean(),
  /** The leaf is of version 2, and shows those of its members whose bits are set. */
  v2: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
});
type Given = { readonly action: Loose; readonly refused: boolean; readonly v2: number | null };
const agents = fc.array(fc.array(allowed, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 3 });

function issued(given: readonly (readonly Given[])[], perWindow: number): IssuedStory {
  const story: Story = {
    ...smallStory(sha256),
    anchored: false,
    agents: given.map((drafts, a) => {
      const id = storyUuid(`mutated agent ${a}`, STORY_START, sha256);
      const events = drafts.map(({ action, refused, v2 }, i) => {
        const place = { agentId: id, eventId: storyUuid(`${a}/${i}`, STORY_START + i, sha256), atMs: STORY_START + i };
        const check = { actionKind: 'tool_use', profileVersion: 1, profileSha256: ROOT } as const;
        const denial = { reason: 'r', severity: 'P3', violation_type: 'rate_limit_exceeded' } as const;
        const fields = refused
          ? { ...check, ...denial, outcome: 'denied' as const, allowed: false }
          : { ...check, outcome: 'allowed' as const, allowed: true };
        const context = contextOf(i + 1, refused ? 'deny' : 'allow', { principal: 'anna' });
        const second = v2 === null ? {} : { v2: { context, coverage: ['rules'] } };
        return storyEvent({ type: 'action.checked', fields, action, ...second }, place, sha256);
      });
      const windows = events.map((_, i) => (i >= 7 ? null : Math.floor(i / perWindow)));
      return { id, name: `agent ${a}`, firstSequence: 1 + a, events, windows };
    }),
  };
  const sound = issueStory(story, key, sha256);
  const masks = given.flat().map(({ v2 }) => v2);
  const pkg = resigned(sound, ({ events }) => masks.forEach((mask, i) => withhold(events[i], mask)), key, sha256);
  return { ...sound, pkg };
}

/** Withholds the members of action and context whose bits are not set. */
function withhold({ opened }: Loose, mask: number | null): void {
  if (mask === null) return;
  for (const kind of ['action', 'context'] as const) {
    const { salt, value } = opened[kind];
    if (!hasMembers(value)) continue;
    const names = Object.keys(value);
    const shown = names.filter((_, i) => (mask & (1 << i)) !== 0);
    const some = new Set(shown.length === 0 ? names.slice(0, 1) : shown);
    opened[kind] = discloseMembers(kind, salt, value as Readonly<Record<string, JsonValue>>, some, sha256);
  }
}

/** Paths to every text, number, boolean and null of a value. */
function placesIn(value: Loose, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.keys(value).flatMap((name) => placesIn(value[name], [...path, name]));
}

/** The same kind of value, different in one bit, or its opposite. */
function other(value: unknown, n: number): unknown {
  if (typeof value === 'string') {
    if (value === '') return '0';
    const at = n % value.length;
    return value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
  }
  if (typeof value === 'number') return value === 0 ? 1 : -value;
  return value === null ? 0 : !value;
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
      { numRuns: runs(30) },
    );
    expect(changes).toBeGreaterThan(0);
  });

  it('are refused where any value of an anchored leaf or of an opening differs in one bit', () => {
    fc.assert(
      fc.property(agents, fc.nat(), fc.nat(), (given, n, m) => {
        const sound = issued(given, 3);
        const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...rest } = sound.pkg;
        const content: Loose = JSON.parse(JSON.stringify(rest));
        const index = n % content.events.length;
        const entry = content.events[index];
        const parts = content.inclusionProofs[index].anchored ? ['event', 'opened'] : ['opened'];
        const places = parts.flatMap((part) => placesIn(entry[part], [part]));
        const path = places[m % places.length]!;
        const owner = path.slice(0, -1).reduce((value: Loose, name) => value[name], entry);
        owner[path.at(-1)!] = other(owner[path.at(-1)!], m);
        const timestamp = packageTimestamp(contentHash(content, sha256), ISSUED_AT, null);
        expect(problemsOf(seal(content, timestamp, key, sha256), sound)).not.toEqual([]);
      }),
      { numRuns: runs(150) },
    );
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
      { numRuns: runs(30) },
    );
  });
});
