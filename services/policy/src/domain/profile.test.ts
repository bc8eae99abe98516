import { createHash } from 'node:crypto';
import { canonicalBytes, canonicalize } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Agent } from './agent.js';
import type { Change } from './change.js';
import { createAgent, deactivateAgent } from './life-cycle.js';
import { applyPackage, changeProfile, readPatchFor } from './profile.js';

const NOW = Date.UTC(2026, 2, 1);
const USER = { kind: 'user', id: 'u-1' } as const;
const ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const { agent } = createAgent(ID, 'account', FIELDS, USER, NOW, nodeCrypto.sha256);

const patched = (before: Agent, patch: object): Change =>
  changeProfile(before, patch, USER, NOW + 1, nodeCrypto.sha256);

describe('changing a profile', () => {
  it('raises its version by one and hashes exactly what GET gives', () => {
    const change = patched(agent, { allowed_apis: ['api.example.com'], spending_limit: 12.5 });
    if (change.kind !== 'changed') throw new Error(change.kind);
    const { profile, profileSha256 } = change.agent.facts;
    expect(profile).toEqual({
      ...agent.facts.profile,
      version: 2,
      allowed_apis: ['api.example.com'],
      spending_limit: 12.5,
    });
    expect(profileSha256).toBe(createHash('sha256').update(canonicalize(profile)).digest('hex'));
    expect(change.event).toEqual({
      type: 'profile.changed',
      committed: { profile, by: { kind: 'user', id: 'u-1' } },
      profileVersion: 2,
      profileSha256,
    });
    expect(change.agent.revision).toBe(2);
    expect(change.agent.facts.profileEditor).toEqual(USER);
  });

  it('takes the current version and refuses another', () => {
    expect(patched(agent, { version: 1, mode: 'observe' }).kind).toBe('changed');
    expect(patched(agent, { version: 2, mode: 'observe' })).toMatchObject({ kind: 'refused', status: 409 });
  });

  it('makes neither version nor event of what is so already', () => {
    expect(patched(agent, {})).toEqual({ kind: 'unchanged', agent });
    expect(patched(agent, { ...agent.facts.profile })).toEqual({ kind: 'unchanged', agent });
  });

  it('lets a profile from before the bound of 64 KiB become smaller, and nothing else of its size', () => {
    const listed = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`.padStart(490, 'ü'));
    const facts = { ...agent.facts, profile: { ...agent.facts.profile, allowed_apis: listed(200) } };
    const old = { ...agent, facts };
    expect(patched(old, { allowed_apis: listed(199) })).toMatchObject({ kind: 'changed' });
    const larger = patched(old, { blocked_apis: ['a'] });
    const bytes = canonicalBytes({ ...facts.profile, version: 2, blocked_apis: ['a'] }).length;
    expect(larger).toMatchObject({ kind: 'refused', status: 413, words: expect.stringContaining(` ${bytes} bytes `) });
    expect(patched(agent, { allowed_apis: listed(67) })).toMatchObject({ kind: 'refused', status: 413 });
    expect(patched(agent, { allowed_apis: listed(66) })).toMatchObject({ kind: 'changed' });
  });

  it('refuses an inactive agent', () => {
    const over = deactivateAgent(agent, null, USER, NOW);
    if (over.kind !== 'changed') throw new Error(over.kind);
    expect(patched(over.agent, { mode: 'observe' })).toMatchObject({ kind: 'refused', status: 409 });
    expect(applyPackage(over.agent, {}, USER, NOW, nodeCrypto.sha256)).toMatchObject({ kind: 'refused' });
  });
});

describe('reading a patch', () => {
  it('takes the id of its agent in either case, and no other', () => {
    expect(readPatchFor(ID, { agent_id: ID.toUpperCase() })).toHaveProperty('patch');
    expect(readPatchFor(ID, { agent_id: ID.replace('a', 'b') })).toHaveProperty('error');
  });

  it.each([[{ unknown: 1 }], [{ spending_limit: -1 }], [{ allowed_apis: 'x' }], [{ mode: 'off' }]])(
    'refuses %j',
    (body) => {
      expect(readPatchFor(ID, body)).toHaveProperty('error');
    },
  );
});

describe('applying a safety package', () => {
  it('unites lists and keeps the stricter number, once', () => {
    const rules = { blocked_apis: ['a.example'], spending_limit: 100, freeze_on_violation: true };
    const first = applyPackage(agent, rules, USER, NOW, nodeCrypto.sha256);
    if (first.kind !== 'changed') throw new Error(first.kind);
    expect(first.agent.facts.profile).toMatchObject({ version: 2, ...rules });
    expect(applyPackage(first.agent, rules, USER, NOW, nodeCrypto.sha256).kind).toBe('unchanged');
  });

  it('refuses what would not be accepted as a PATCH', () => {
    const full = patched(agent, { blocked_apis: Array.from({ length: 1000 }, (_, i) => `h${i}.example`) });
    if (full.kind !== 'changed') throw new Error(full.kind);
    const change = applyPackage(full.agent, { blocked_apis: ['one.more'] }, USER, NOW, nodeCrypto.sha256);
    expect(change).toMatchObject({ kind: 'refused', status: 409 });
  });
});
