import { randomBytes } from 'node:crypto';
import type { AgentFacts } from '@countersign/contracts';
import { emptyProfile } from '@countersign/policy-engine';
import { packAgent, profileOf } from './packed-agent.js';
import { RecentlyUsed } from './recently-used.js';

const facts = (allowed_apis: readonly string[]): AgentFacts =>
  ({
    accountId: 'a',
    status: 'active',
    profileSha256: 'h',
    profile: { ...emptyProfile('g'), allowed_apis, version: 3 },
  }) as unknown as AgentFacts;

describe('a packed agent', () => {
  it.each([
    ['short', []],
    [
      'long',
      Array.from({ length: 100 }, (_, n) => `https://host-${n}.example.com/ü/${randomBytes(100).toString('base64')}`),
    ],
  ])('restores its %s profile unchanged', (_what, apis) => {
    const agent = facts(apis);
    const packed = packAgent(agent);
    expect(profileOf(packed)).toEqual(agent.profile);
    expect([packed.accountId, packed.status, packed.profileVersion]).toEqual(['a', 'active', 3]);
    expect(packed.profile.length).toBeLessThanOrEqual(packed.profileLength);
  });
});

describe('recently used values', () => {
  it('are kept up to their weight, and the newest always', () => {
    const used = new RecentlyUsed<string>(10);
    used.set('a', 'A', 4);
    used.set('b', 'B', 4);
    expect(used.get('a')).toBe('A');
    used.set('c', 'C', 4);
    expect([used.get('a'), used.get('b'), used.get('c')]).toEqual(['A', undefined, 'C']);
    used.set('d', 'D', 100);
    expect([used.size, used.weight, used.get('d')]).toEqual([1, 100, 'D']);
    used.delete('d');
    expect([used.size, used.weight]).toEqual([0, 0]);
  });
});
