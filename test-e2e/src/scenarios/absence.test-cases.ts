import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';
import type { Anchored } from './report-pdf.test-cases.js';

/** A window in the form of its memo: these have whole seconds. */
function memoName({ windowStart, windowEnd }: { readonly windowStart: string; readonly windowEnd: string }): string {
  const seconds = (Date.parse(windowEnd) - Date.parse(windowStart)) / 1000;
  return `${windowStart}/PT${seconds}S`;
}

/** Proofs of absence by the operator of a running instance. */
export function absenceCases(given: () => Anchored, window: () => Parameters<typeof memoName>[0]): void {
  it('proves on the command line that an agent had no event in a window, which anyone can verify', async () => {
    const { instance, authority, folder, agentId } = given();
    const name = memoName(window());
    const proven = await instance.command('admin', 'prove-absence', randomUUID(), name);
    expect([proven.code, proven.stderr]).toEqual([0, '']);
    const file = join(folder, 'absence.json');
    writeFileSync(file, proven.stdout);
    const chain = ['--rpc', instance.bootstrap.solanaRpcUrl];
    const verified = await countersign(['verify', file, ...chain, '--authority', authority]);
    expect([verified.code, verified.stderr]).toEqual([0, '']);

    const other = JSON.parse(proven.stdout) as { agentId: string };
    writeFileSync(file, JSON.stringify({ ...other, agentId }));
    const refused = await countersign(['verify', file]);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('absence-agent-differs')]);

    const present = await instance.command('admin', 'prove-absence', agentId, name);
    expect([present.code, present.stderr]).toEqual([1, expect.stringContaining('the agent had events in the window')]);
  }, 90_000);

  it('serves the page that verifies in a browser, under a policy that allows no other script', async () => {
    const { instance } = given();
    const page = await instance.request('GET', '/verify');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const names = [...page.text.matchAll(/(?:href|src)="(verify\/[^"]+)"/g)].map(([, path]) => `/${path!}`);
    expect(names).toContain('/verify/page.js');
    for (const path of [...names, '/verify/worker.js', '/verify/evidence.js']) {
      const { status, headers } = await instance.request('GET', path);
      expect([path, status, headers['x-content-type-options']]).toEqual([path, 200, 'nosniff']);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    }
  });
}
