import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { countersign, type Ran } from '../instance/command.js';
import type { Profile } from '../instance/installation.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from '../pages/browser.js';
import { askPage } from '../pages/verification-page.js';
import type { Anchored } from './report-pdf.test-cases.js';
import { Operator, partsOf, type Package } from './rewritten-history.test-kit.js';

const YEAR = 365 * 24 * 3_600_000;
const HOUR = 3_600_000;
const browserName = testedBrowser();
const inBrowser = browserName === null ? it.skip : it;
const HOLDS = ['Verified', 0] as const;
const PARTLY = ['Nothing is wrong, but not everything was checked', 2] as const;
const REFUSED = ['Do not rely on this file', 1] as const;

/**
 * Packages of an operator with every key of the installation, for an agent whose events are anchored. They contradict
 * later anchors of the instance: declare these tests last. Histories that the operator rewrites are tried on the embedded
 * profile alone: command line and page read them, and no service or store does.
 */
export function operatorAttackCases(given: () => Anchored, profile: Profile): void {
  let genuine: Package;
  let operator: Operator;
  let newestRoot: string;
  let browser: Browser | null = null;

  const pathOf = (name: string): string => join(given().folder, `${name}.json`);
  const chain = (): readonly string[] => {
    const { instance, keyFile, authority } = given();
    return ['--key', keyFile, '--rpc', instance.bootstrap.solanaRpcUrl, '--authority', authority];
  };
  const verify = (name: string, ...more: readonly string[]): Promise<Ran> =>
    countersign(['verify', pathOf(name), ...chain(), ...more]);
  /** The command line and the page give the same result for a file. */
  const bothSay = async (
    name: string,
    [verdict, code]: readonly [string, number],
    message: RegExp,
    absences: readonly string[] = [],
  ): Promise<void> => {
    const { instance, keyFile, authority } = given();
    const ran = await verify(name, ...absences.flatMap((file) => ['--absence', file]));
    expect([name, ran.code, ran.stderr]).toEqual([name, code, '']);
    expect(ran.stdout).toMatch(message);
    if (browser === null) return;
    const { baseUrl, solanaRpcUrl: rpcUrl } = instance.bootstrap;
    const pem = readFileSync(keyFile, 'utf8');
    const page = await askPage(browser, { baseUrl, report: pathOf(name), pem, rpcUrl, authority, absences });
    expect([name, page.verdict]).toEqual([name, verdict]);
    expect(page.text).toMatch(message);
  };

  function rewrittenHistories(): void {
    it('does not verify a history whose last window was left out', async () => {
      const { events, inclusionProofs, windows } = genuine;
      const last = partsOf(genuine).at(-1)!;
      const gone = new Date(last.startMs).toISOString();
      const kept = inclusionProofs.map(({ windowStart }) => windowStart !== gone);
      const short = {
        events: events.filter((_, i) => kept[i]),
        inclusionProofs: inclusionProofs.filter((_, i) => kept[i]),
        windows: windows.filter(({ windowStart }) => windowStart !== gone),
      };
      writeFileSync(pathOf('tail'), await operator.issued(short, genuine.range));
      // Those of the sign-ins of other tests are among them.
      await bothSay('tail', PARTLY, /\d+ windows, [^]*not listed; proofs of absence settle it/u);
      // The operator cannot prove a false statement.
      writeFileSync(pathOf('result'), (await verify('tail', '--json')).stdout);
      const refused = await given().instance.command('admin', 'prove-absence', '--open', pathOf('result'));
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('the agent had events in the window'),
      ]);
      if (browser === null) return;
      // The page computes the verdicts again, and compares them with what the package states of them.
      writeFileSync(pathOf('stated'), await operator.issued(short, genuine.range, { stated: true }));
      const { baseUrl, solanaRpcUrl: rpcUrl } = given().instance.bootstrap;
      const pem = readFileSync(given().keyFile, 'utf8');
      const page = await askPage(browser, {
        baseUrl,
        report: pathOf('stated'),
        pem,
        rpcUrl,
        authority: given().authority,
      });
      expect(page.verdict).toBe(REFUSED[0]);
      expect(page.text).toMatch(/the statement of the package: redecision\.totals\.checks/u);
    }, 90_000);

    it('does not verify events that were dated back by a year and anchored today', async () => {
      const moved = partsOf(genuine).map(({ startMs, entries }) => ({
        startMs: startMs - YEAR,
        entries: entries.map((entry) => {
          const at = Date.parse(entry.event.occurredAt) - YEAR;
          const time = at.toString(16).padStart(12, '0');
          const eventId = `${time.slice(0, 8)}-${time.slice(8)}${entry.event.eventId.slice(13)}`;
          return { ...entry, event: { ...entry.event, eventId, occurredAt: new Date(at).toISOString() } };
        }),
      }));
      const [from, to] = [genuine.range.from, genuine.range.to].map((iso) =>
        new Date(Date.parse(iso) - YEAR).toISOString(),
      );
      const history = await operator.anchored(moved, newestRoot);
      writeFileSync(pathOf('backdated'), await operator.issued(history, { from: from!, to: to! }));
      await bothSay('backdated', PARTLY, /anchored more than an hour and its duration later/u);
    }, 90_000);

    it('refuses windows that were anchored a second time without a denied event', async () => {
      const changed = partsOf(genuine).map(({ startMs, entries }) => ({
        startMs,
        entries: entries.filter(({ event }) => event.outcome !== 'denied'),
      }));
      const history = await operator.anchored(
        changed.filter(({ entries }) => entries.length > 0),
        '0',
      );
      expect(history.events.length).toBeLessThan(genuine.events.length);
      writeFileSync(pathOf('dropped'), await operator.issued(history, genuine.range));
      await bothSay('dropped', REFUSED, /\[window-equivocated\]/u);
    }, 90_000);
  }

  describe('against an operator that has every key', () => {
    beforeAll(async () => {
      const { instance, session, agentId } = given();
      const anchorsOf = async (agent: string): Promise<readonly { merkle_root: string; event_count: number }[]> => {
        const { json } = await instance.request('GET', `/v1/agents/${agent}/anchors`, { headers: session });
        return (json as { anchors: { merkle_root: string; event_count: number }[] }).anchors;
      };
      const before = (await anchorsOf(agentId)).length;
      // A window more of the agent, and then one of another agent.
      expect((await instance.check({ type: 'tool_use' }, { agentId })).status).toBe(200);
      await eventually('the check is anchored', 30, async () =>
        (await anchorsOf(agentId)).length > before ? true : null,
      );
      const anchoredAgent = async (): Promise<string> => {
        const other = await newAgent(instance, session);
        return eventually('the other agent is anchored', 30, async () => {
          return (await anchorsOf(other))[0]?.merkle_root ?? null;
        });
      };
      await anchoredAgent();
      const [from, to] = [-HOUR, 0].map((ms) => new Date(Date.now() + ms).toISOString());
      const body = { agentIds: [agentId], format: 'json', frameworks: ['soc2'], from, to };
      const answer = await instance.request('POST', '/v1/events/export-signed', { headers: session, body });
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      writeFileSync(pathOf('genuine'), answer.text);
      genuine = JSON.parse(answer.text) as Package;
      // The export is an event as well, in a window that is not later than this one.
      newestRoot = await anchoredAgent();
      operator = new Operator(instance, genuine);
      if (browserName !== null) browser = await openBrowser(browserName);
    }, 120_000);
    afterAll(() => browser?.close());

    it('leaves open what another agent’s window holds, until proofs of absence settle it', async () => {
      await bothSay('genuine', PARTLY, /proofs of absence settle it/u);
      const { stdout } = await verify('genuine', '--json');
      writeFileSync(pathOf('result'), stdout);
      const proven = await given().instance.command('admin', 'prove-absence', '--open', pathOf('result'));
      expect([proven.code, proven.stderr]).toEqual([0, '']);
      writeFileSync(pathOf('absences'), proven.stdout);
      await bothSay('genuine', HOLDS, /\d proofs? of absence/u, [pathOf('absences')]);
    }, 90_000);

    it('is settled by the proofs of a range of time as well', async () => {
      const { instance, agentId } = given();
      const range = ['--from', genuine.range.from, '--to', genuine.range.to];
      const proven = await instance.command('admin', 'prove-absence', agentId, ...range);
      expect([proven.code, proven.stderr]).toEqual([0, expect.stringMatching(/^\d+ windows proven; in \d+ more /u)]);
      writeFileSync(pathOf('range'), proven.stdout);
      expect((await verify('genuine', '--absence', pathOf('range'))).code).toBe(0);
    }, 60_000);

    if (profile === 'embedded') rewrittenHistories();

    inBrowser(`was tested in a browser${browserName === null ? ' (needs chromium)' : ''}`, () => {
      expect(browser?.isConnected()).toBe(true);
    });
  });
}
