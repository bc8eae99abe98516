import type { PackageContent, SignedPackage } from '@countersign/contracts';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { assemblePackage, packageTimestamp } from '../package/assemble.js';
import { contentHash } from '../package/canonical.js';
import { airlineStory } from '../vectors/airline-story.js';
import { issueStory, ISSUED_AT, seal } from '../vectors/story-package.js';
import type { Loose } from '../vectors/tampered.js';
import type { VerificationResult } from './result.js';
import { verifyPackage } from './verify-package.js';

const { sha256 } = nodeCrypto;
const key = seededKey(new Uint8Array(32).fill(9));
const airline = issueStory(airlineStory(sha256), key, sha256);
const { events, agents } = airline.pkg;
const verify = (pkg: unknown): VerificationResult =>
  verifyPackage(pkg, { crypto: nodeCrypto, keys: null, chain: null });

/** As an issuer would who leaves an event out and makes every figure fit again. */
function without(index: number): SignedPackage {
  const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...rest } = airline.pkg;
  const content: Loose = JSON.parse(JSON.stringify(rest));
  content.events.splice(index, 1);
  content.inclusionProofs.splice(index, 1);
  for (const agent of content.agents) {
    const run = content.events.filter(({ event }: Loose) => event.agentId === agent.id).map((e: Loose) => e.sequence);
    Object.assign(agent, { firstSequence: run[0], lastSequence: run.at(-1), count: run.length });
  }
  const whole = assemblePackage(content as PackageContent);
  return seal(whole, packageTimestamp(contentHash(whole, sha256), ISSUED_AT, null), key, sha256);
}

describe('completeness', () => {
  it('is counted for each agent and closed window', () => {
    const { completeness, checked } = verify(airline.pkg);
    expect(completeness.map(({ agentId, count, missing }) => ({ agentId, count, missing }))).toEqual(
      agents.map(({ id, count }) => ({ agentId: id, count, missing: [] })),
    );
    for (const { firstSequence, lastSequence, windows } of completeness) {
      expect(windows.length).toBeGreaterThan(0);
      expect(windows[0]!.firstSequence).toBe(firstSequence);
      expect(windows.at(-1)!.lastSequence).toBe(lastSequence! - 1);
      windows.forEach((window, i) => {
        expect(window.notInPackage).toEqual([]);
        if (i > 0) expect(window.firstSequence).toBe(windows[i - 1]!.lastSequence + 1);
      });
    }
    expect(checked).toContain('the count of 6 closed windows, per agent, against the events');
  });

  const isEnd = (index: number): boolean =>
    events[index - 1]?.event.agentId !== events[index]!.event.agentId ||
    events[index + 1]?.event.agentId !== events[index]!.event.agentId;
  const inside = events.flatMap((_, i) => (isEnd(i) ? [] : [i]));

  it.each(inside)('names event %i by agent and number when it is left out and all is signed again', (index) => {
    const { event, sequence } = events[index]!;
    const result = verify(without(index));
    expect(result.ok).toBe(false);
    const missing = result.problems.filter(({ code }) => code === 'sequence-missing');
    expect(missing.map(({ message }) => message)).toEqual([`Number ${sequence} of agent ${event.agentId} is missing.`]);
    const agent = result.completeness.find(({ agentId }) => agentId === event.agentId)!;
    expect(agent.missing).toEqual([{ first: sequence, last: sequence }]);
    const proof = airline.pkg.inclusionProofs[index]!;
    if (!proof.anchored) return;
    const window = agent.windows.find(({ windowStart }) => windowStart === proof.windowStart);
    expect(window?.notInPackage ?? 'not listed').toEqual([{ first: sequence, last: sequence }]);
  });

  it('names the numbers of a closed window that lie before the first event of a package', () => {
    const { event, sequence } = events[0]!;
    const result = verify(without(0));
    expect(result.completeness[0]!.windows[0]!.notInPackage).toEqual([{ first: sequence, last: sequence }]);
    const proof = airline.pkg.inclusionProofs[0]!;
    expect(result.notChecked).toContain(
      `Number ${sequence} of agent ${event.agentId} in the window of ${proof.anchored ? proof.windowStart : ''}: ` +
        'before the first event that the package holds of it',
    );
  });

  it('says of an agent without events that this is no proof of absence', () => {
    const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...rest } = airline.pkg;
    const quiet = { ...agents[0]!, id: rest.reportId, firstSequence: null, lastSequence: null, count: 0, anchors: [] };
    const whole = assemblePackage({ ...rest, agents: [...agents, quiet] });
    const pkg = seal(whole, packageTimestamp(contentHash(whole, sha256), ISSUED_AT, null), key, sha256);
    const { ok, completeness, notChecked } = verify(pkg);
    expect(ok).toBe(true);
    expect(completeness.at(-1)).toMatchObject({ firstSequence: null, count: 0, windows: [] });
    expect(notChecked.join('\n')).toContain('1 agent without an event');
  });
});
