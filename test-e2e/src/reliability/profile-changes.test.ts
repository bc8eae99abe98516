import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { fsck } from '../instance/fsck.js';
import { startLoad } from '../torture/load.js';
import { EVER, Scratch } from './scratch.js';

const CHANGES = 100;

interface Profile {
  readonly version: number;
  readonly allowed_apis: readonly string[];
  readonly spending_limit: number | null;
}

interface PackageEvent {
  readonly event: {
    readonly type: string;
    readonly eventId: string;
    readonly allowed: boolean | null;
    readonly violation_type: string | null;
    readonly rule: string | null;
    readonly profileVersion: number | null;
    readonly profileSha256: string | null;
  };
  readonly opened: { readonly action?: { readonly value?: unknown } };
}

const sha256 = (value: unknown): string => createHash('sha256').update(canonicalize(value)).digest('hex');

/** The rule of a version in this test: odd ones allow one host, even ones the other. */
const hostOf = (version: number): string => (version % 2 === 0 ? 'even.example.com' : 'odd.example.com');

describe('a hundred changes of the profile under load', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('allow every decision to be reproduced from its event and the profile that it names', async () => {
    const instance = await scratch.start();
    const headers = await instance.session();
    const { agentId } = instance.bootstrap;
    const patch = (version: number) =>
      instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
        headers,
        // The limit per action changes with the host: a mix of two versions would allow one.
        body: {
          allowed_apis: [hostOf(version)],
          spending_limit: version % 2 === 0 ? 1 : 100,
          spending_window: 'action',
        },
      });
    expect((await patch(0)).status).toBe(200);
    const action = (n: number) => ({
      type: 'http_call',
      url: `https://${hostOf(n)}/x`,
      estimatedCost: n % 3 === 0 ? 50 : 0.5,
    });
    // Few enough a second for their package to stay below 60 MiB even if a hundred changes take long.
    const load = startLoad(instance, { name: 'profile', concurrency: 8, pauseMs: 16, action });
    for (let version = 1; version <= CHANGES; version += 1) expect((await patch(version)).status).toBe(200);
    const attempts = await load.stop();
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));

    const body = { frameworks: ['soc2'], format: 'json', from: EVER, to: new Date(Date.now() + 60_000).toISOString() };
    const report = await instance.request('POST', '/v1/events/export-signed', { headers, body });
    expect(report.status).toBe(200);
    const { events } = report.json as { events: readonly PackageEvent[] };
    const profiles = new Map<number, Profile>();
    for (const { event, opened } of events) {
      if (event.type !== 'profile.changed') continue;
      const { profile } = opened.action?.value as { profile: Profile };
      expect([profile.version, sha256(profile)]).toEqual([event.profileVersion, event.profileSha256]);
      profiles.set(profile.version, profile);
    }
    expect(profiles.size).toBe(CHANGES + 1);

    const used = new Set<number>();
    let checked = 0;
    for (const { event, opened } of events) {
      if (event.type !== 'action.checked') continue;
      const profile = profiles.get(event.profileVersion!)!;
      expect(event.profileSha256).toBe(sha256(profile));
      const { url, estimatedCost } = opened.action?.value as { url: string; estimatedCost: number };
      const host = new URL(url).hostname;
      const expected = !profile.allowed_apis.includes(host)
        ? [false, 'api_not_allowed', 'allowed_apis']
        : estimatedCost > profile.spending_limit!
          ? [false, 'spending_limit_exceeded', 'spending_limit']
          : [true, null, undefined];
      expect([event.allowed, event.violation_type, event.rule?.split(':')[0]]).toEqual(expected);
      used.add(profile.version);
      checked += 1;
    }
    expect(checked).toBe(attempts.length);
    expect(used.size).toBeGreaterThan(CHANGES / 2);

    expect((await instance.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 150_000);
});
