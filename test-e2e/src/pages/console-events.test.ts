import type { Browser, Page, Route } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const RULES = { blocked_apis: ['evil.example', 'worse.example'] };

interface Counted {
  readonly series: readonly { readonly key: string; readonly total: number }[];
}

inBrowser(`the screen of events${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let headers: Awaited<ReturnType<Instance['session']>>;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    headers = await instance.session();
    const { agentId } = instance.bootstrap;
    const saved = await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body: RULES });
    expect(saved.status).toBe(200);
    for (let n = 0; n < 40; n += 1) {
      const host = n % 10 === 0 ? 'worse.example' : n % 4 === 0 ? 'evil.example' : 'api.example.com';
      await check(host, n);
    }
    await eventually('every check in the list', 60, async () =>
      (await counted('outcome')).total === 40 ? true : null,
    );
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const check = async (host: string, n: number): Promise<void> => {
    const answer = await instance.check({ type: 'http_call', url: `https://${host}/${n}` });
    expect(answer.status).toBe(200);
  };
  const counted = async (by: string): Promise<Counted & { readonly total: number }> => {
    const { json } = await instance.request('GET', `/v1/stats/checks?by=${by}`, { headers });
    const { series } = json as Counted;
    return { series, total: series.reduce((sum, { total }) => sum + total, 0) };
  };
  const open = (place: string, options: Parameters<Browser['newContext']>[0] = {}) =>
    openConsole(browser, instance.bootstrap, place, options);
  const facet = (page: Page, name: string) =>
    page.locator('.facet').filter({ has: page.getByRole('heading', { name, exact: true }) });

  it('counts checks as the server does, and each number filters the list to as many', async () => {
    const { page, watched } = await open('/events?range=day');
    await page.getByText('Checks in this range: 40').waitFor();
    const rules = (await counted('rule')).series;
    expect(rules.map(({ total }) => total)).toEqual([8, 4]);
    const [first] = rules;
    const button = facet(page, 'Rule').getByRole('button', { name: first!.key });
    await button.waitFor();
    expect(await facet(page, 'Rule').getByRole('listitem').first().innerText()).toContain('8');
    // The chart is read step by step.
    const chart = page.getByRole('slider', { name: /^40 checks/ });
    await chart.focus();
    const steps: string[] = [];
    for (const key of ['End', 'ArrowLeft']) {
      await page.keyboard.press(key);
      steps.push((await chart.getAttribute('aria-valuetext'))!);
    }
    // The end of the range may be an hour that began during the test.
    expect(steps.some((text) => / \d\d:00: .*allowed 28/.test(text) && text.includes('denied 12'))).toBe(true);
    await picture(page, 'events-figures');
    expect(await barriersOf(page)).toEqual([]);
    await button.click();
    await page.getByText('8 events', { exact: true }).waitFor();
    expect(new URLSearchParams(page.url().split('?')[1]).get('rule')).toBe(first!.key);
    await facet(page, 'Rule').getByRole('button', { name: first!.key, pressed: true }).click();
    await page.getByText('8 events', { exact: true }).waitFor({ state: 'detached' });
    await facet(page, 'Outcome').getByRole('button', { name: 'denied' }).click();
    await page.getByText('12 events', { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('follows one rule: only its checks are added to the list', async () => {
    const rule = (await counted('rule')).series[1]!.key;
    const { page } = await open(`/events?${new URLSearchParams({ rule }).toString()}`);
    await page.locator('.feed.live').waitFor();
    await page.getByText('4 events', { exact: true }).waitFor();
    await check('evil.example', 101);
    await check('worse.example', 102);
    await page.getByText('5 events', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'worse.example/102' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'evil.example' }).count()).toBe(0);
    await page.context().close();
  }, 120_000);

  it('verifies the rows on screen, and those that were chosen, and names one that does not hold', async () => {
    const { page, watched } = await open('/events?type=action.checked');
    await eventually('every row anchored', 60, async () => {
      const { json } = await instance.request('GET', '/v1/events?limit=100', { headers });
      return (json as { events: { anchored: boolean }[] }).events.every(({ anchored }) => anchored) ? true : null;
    });
    await page.reload();
    await page.getByRole('row').nth(3).getByText('Anchored').waitFor();
    await page.keyboard.press('v');
    await page.getByText(/^(\d+) of \1 hold$/).waitFor({ timeout: 60_000 });
    await picture(page, 'events-verified');
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Verify 2 chosen' }).waitFor();
    const id = (await page.locator('.grid-row.chosen').count()) === 2;
    expect(id).toBe(true);
    const { text } = await (async () => {
      const { json } = await instance.request('GET', '/v1/events?type=action.checked&limit=1', { headers });
      const [{ eventId } = { eventId: '' }] = (json as { events: { eventId: string }[] }).events;
      return instance.request('GET', `/v1/events/${eventId}/proof`, { headers });
    })();
    const body = text.replace(/("occurredAt":\s*"20)2/, '$13');
    await page.route('**/v1/events/*/proof', (route) => route.fulfill({ body, contentType: 'application/json' }));
    await page.keyboard.press('v');
    await page.getByText('0 of 2 hold, 2 do not hold').waitFor();
    await picture(page, 'events-refused');
    expect(await barriersOf(page)).toEqual([]);
    await page.unroute('**/v1/events/*/proof');
    for (let n = 0; n < 4; n += 1) {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    await page.getByRole('button', { name: 'Verify 6 chosen' }).waitFor();
    const held: Route[] = [];
    await page.route('**/v1/events/*/proof', (route) => void held.push(route));
    await page.keyboard.press('v');
    await page.getByText(/^Verifying 0 of 6/).waitFor();
    await eventually('three are asked for at once', 30, async () => (held.length === 3 ? true : null));
    await goTo(page, '/agents');
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    // No further one is asked for once these have ended.
    for (const route of held) await route.fulfill({ body, contentType: 'application/json' }).catch(() => undefined);
    await page.getByRole('row').nth(1).waitFor();
    expect(held).toHaveLength(3);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 180_000);

  it('is not green where nothing could be verified', async () => {
    const { page, watched } = await open('/events?type=action.checked');
    await page.getByRole('row').nth(3).waitFor();
    await goTo(page, '/events?type=action.checked&rule=none');
    await page.locator('.empty').waitFor();
    await page.keyboard.press('v');
    await page.locator('.verdict.many.plain').getByText('No row is on screen').waitFor();
    await page.route('**/v1/events?*', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const { text } = await instance.request('GET', pathname + search, { headers });
      const body = text.replace(/("anchored":\s*)true/g, '$1false');
      await route.fulfill({ contentType: 'application/json', body });
    });
    await goTo(page, '/events?type=action.checked&outcome=denied');
    await page.getByRole('row').nth(3).waitFor();
    await page.keyboard.press('v');
    await page
      .locator('.verdict.many.plain')
      .getByText(/^\d+ not anchored yet$/)
      .waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('turns pages and goes back to the newest events by keys', async () => {
    const { page } = await open('/events', { viewport: { width: 1280, height: 620 } });
    await page.getByRole('row').nth(3).waitFor();
    // The focus follows once the row is drawn.
    const index = (isThere: (at: number) => boolean): Promise<number> =>
      eventually('the row has the focus', 30, async () => {
        const at = Number(await page.evaluate("document.activeElement.getAttribute('data-index')"));
        return isThere(at) ? at : null;
      });
    await page.keyboard.press(']');
    const older = await index((at) => at > 1);
    await page.keyboard.press(']');
    await index((at) => at > older);
    await page.keyboard.press('[');
    await index((at) => at === older);
    await page.keyboard.press('.');
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.keyboard.press('l');
    await page.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
    await page.context().close();
  }, 60_000);

  it('keeps columns and density in this browser, and a copied link opens the same view in another', async () => {
    const origin = new URL(instance.bootstrap.baseUrl).origin;
    const { page, watched } = await open('/events?outcome=denied', { viewport: { width: 1600, height: 900 } });
    const row = page.locator('.grid-body .grid-row').first();
    await row.waitFor();
    const headers = (shown: Page): Promise<string[]> => shown.getByRole('columnheader').allInnerTexts();
    expect((await headers(page)).slice(2)).toEqual(['Outcome', 'Agent', 'Action', 'Reason', 'No.', 'Proof']);
    const tall = (await row.boundingBox())!.height;
    await page.getByRole('button', { name: 'View', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Rule' }).waitFor();
    await picture(page, 'events-view');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('menuitemcheckbox', { name: 'Rule' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Reason' }).click();
    await page.getByRole('menuitemradio', { name: 'Compact' }).click();
    await page.keyboard.press('Escape');
    const chosen = ['Outcome', 'Agent', 'Action', 'Rule', 'No.', 'Proof'];
    expect((await headers(page)).slice(2)).toEqual(chosen);
    expect((await row.boundingBox())!.height).toBeLessThan(tall);
    await picture(page, 'events-compact');
    await page.reload();
    await row.waitFor();
    expect((await headers(page)).slice(2)).toEqual(chosen);
    await row.click();
    await page.locator('.panel').waitFor();
    // The policy of the page lets no script read the clipboard.
    await page.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)');
    await page.getByRole('button', { name: 'Copy link to this view' }).click();
    const link = await page.evaluate<string>('window.copied');
    const place = link.slice(link.indexOf('#') + 1);
    expect(place).toContain('outcome=denied');
    expect(link.startsWith(`${origin}/console#/events?`)).toBe(true);
    const other = await open(place, { viewport: { width: 1600, height: 900 } });
    await other.page.locator('.panel').waitFor();
    await other.page.keyboard.press('Escape');
    await other.page.getByRole('columnheader', { name: 'Proof' }).waitFor();
    expect((await headers(other.page)).slice(2)).toEqual(chosen);
    // It is the view of the address: the other browser keeps its own.
    await goTo(other.page, '/events');
    await other.page.getByRole('columnheader', { name: 'Reason' }).waitFor();
    expect([...unexpected(watched), ...unexpected(other.watched)]).toEqual([]);
    await page.context().close();
    await other.page.context().close();
  }, 120_000);

  it('chooses rows by boxes of 24 px, and verifies all that is loaded, until it is stopped', async () => {
    const { page, watched } = await open('/events?outcome=denied');
    const boxes = page.locator('.grid-body').getByRole('checkbox');
    await boxes.nth(2).waitFor();
    for (const part of ['.grid-body .cell-check label', '.grid-head .cell-check label']) {
      const { width, height } = (await page.locator(part).first().boundingBox())!;
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    await boxes.first().click();
    await page.getByRole('button', { name: 'Verify 1 chosen' }).waitFor();
    expect(await page.locator('.panel').count()).toBe(0);
    // A box has no keys of its own but Space: those of the list go on.
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Verify 2 chosen' }).waitFor();
    await page.locator('.grid-head').getByRole('checkbox').click();
    const all = await page.getByRole('button', { name: /^Verify all \d+ loaded$/ }).innerText();
    const count = Number(/\d+/.exec(all)![0]);
    await page.getByRole('button', { name: `Verify ${count} chosen` }).waitFor();
    await picture(page, 'events-chosen');
    expect(await barriersOf(page)).toEqual([]);
    await page.locator('.grid-head').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Verify rows on screen' }).waitFor();
    const held: Route[] = [];
    await page.route('**/v1/events/*/proof', (route) => void held.push(route));
    await page.getByRole('button', { name: all }).click();
    await page.getByText(`Verifying 0 of ${count} …`).waitFor();
    await eventually('three are asked for', 30, async () => (held.length === 3 ? true : null));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(`0 of ${count} hold, ${count} not reached`).waitFor();
    await page.unroute('**/v1/events/*/proof');
    for (const route of held) await route.abort().catch(() => undefined);
    // One is busy once, and one is not given: the count says of how many nothing is known, and why.
    let asked = 0;
    await page.route('**/v1/events/*/proof', async (route) => {
      asked += 1;
      if (asked === 1) await route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { error: 'busy' } });
      else if (asked === 2) await route.fulfill({ status: 500, json: { error: 'a reason' } });
      else await route.fallback();
    });
    await page.getByRole('button', { name: all }).click();
    await page.getByText(`${count - 1} of ${count} hold, 1 could not be verified`).waitFor({ timeout: 60_000 });
    await page.getByText('1 × a reason').waitFor();
    expect(asked).toBe(count + 1);
    await page.getByText(`Of ${count - 1} leaf, hash and both paths hold`, { exact: false }).waitFor();
    await picture(page, 'events-all');
    // What was found stays while an event is opened beside the list.
    await page.getByRole('row').nth(2).click();
    await page.locator('.panel').waitFor();
    expect(await page.getByText('1 × a reason').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched).filter((text) => !/ (500|503) /.test(text))).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('computes the verdicts of rows again, marks one that differs, and counts what cannot be computed', async () => {
    const { page, watched } = await open('/events');
    await page.getByRole('row').nth(3).waitFor();
    await page.locator('.grid-head').getByRole('checkbox').click();
    const again = page.getByRole('button', { name: /^Decide \d+ again$/ });
    const count = Number(/\d+/.exec(await again.innerText())![0]);
    await again.click();
    const others = await eventually('the number of checks', 30, async () => {
      const { json } = await instance.request('GET', '/v1/events?type=action.checked&limit=1', { headers });
      return count - (json as { total: number }).total;
    });
    await page.getByText(`${count - others} same, ${others} cannot be computed again`).waitFor({ timeout: 60_000 });
    await page.getByText(`${others} × no check: nothing was decided`).waitFor();
    await picture(page, 'events-again');
    expect(await barriersOf(page)).toEqual([]);
    let changed = '';
    await page.route('**/v1/events/*/explanation', async (route) => {
      const { pathname } = new URL(route.request().url());
      const { json } = await instance.request('GET', pathname, { headers });
      const answer = json as { eventId: string; redecided: unknown };
      if (changed === '') changed = answer.eventId;
      const differences = [{ member: 'outcome', recorded: 'allowed', recomputed: 'denied' }];
      const redecided = { verdict: 'different', reason: 'verdict', differences };
      await route.fulfill({ json: answer.eventId === changed ? { ...answer, redecided } : answer });
    });
    await again.click();
    await page.getByText(`${count - others - 1} same, 1 different`).waitFor({ timeout: 60_000 });
    await page.getByRole('row').filter({ hasText: 'differs' }).waitFor();
    await picture(page, 'events-differs');
    expect(await barriersOf(page)).toEqual([]);
    await page.locator('.verdict.many').getByRole('link').click();
    await page.getByText('outcome: recorded "allowed", computed "denied"').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.unroute('**/v1/events/*/explanation');
    await page.reload();
    await page.getByText('Computed again: the verdict follows from the policy.').waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('drafts the change that would allow a denied check, and saves nothing', async () => {
    const { json } = await instance.request('GET', '/v1/events?outcome=denied&limit=1', { headers });
    const [{ eventId, rule, agentId } = { eventId: '', rule: '', agentId: '' }] = (
      json as { events: { eventId: string; rule: string; agentId: string }[] }
    ).events;
    const { page, watched } = await open(`/events/${eventId}`);
    const link = page.getByRole('link', { name: 'Allow this: draft a change' });
    await link.waitFor();
    await picture(page, 'event-allow');
    expect(await barriersOf(page)).toEqual([]);
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Under this change alone, a check of the same action.* would be allowed now/).waitFor();
    await page.getByText(/would change \d+ of/).waitFor();
    const kept = RULES.blocked_apis.filter((entry) => rule !== `blocked_apis:${entry}`);
    expect(kept).toHaveLength(1);
    const text = JSON.parse(await page.getByLabel('Profile as JSON').inputValue()) as { blocked_apis: unknown };
    expect(text.blocked_apis).toEqual(kept);
    await page.getByText('Without the entry every address of the host is open', { exact: false }).waitFor();
    await picture(page, 'profile-allow');
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await picture(page, 'profile-allow-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    const saved = await instance.request('GET', `/v1/agents/${agentId}/profile`, { headers });
    expect((saved.json as { blocked_apis: unknown }).blocked_apis).toEqual(RULES.blocked_apis);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('finds by one box, from everywhere and by keyboard', async () => {
    const { json } = await instance.request('GET', '/v1/events?outcome=denied&limit=1', { headers });
    const [{ eventId } = { eventId: '' }] = (json as { events: { eventId: string }[] }).events;
    const { page, watched } = await open('/health');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    const box = page.getByRole('combobox', { name: /Merkle root/ });
    await page.keyboard.press('/');
    await box.fill('first');
    await page.getByRole('option', { name: /First agent/ }).waitFor();
    await picture(page, 'search');
    expect(await barriersOf(page)).toEqual([]);
    await box.fill(eventId);
    await page.getByRole('option', { name: /action.checked denied/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Proof', exact: true }).waitFor();
    expect(page.url()).toContain(`#/events/${eventId}`);
    const root = await page
      .locator('dd code')
      .filter({ hasText: /^[\da-f]{64}$/ })
      .first()
      .innerText();
    await page.keyboard.press('/');
    await box.fill(root);
    await page.getByRole('option').first().waitFor();
    await box.fill('no such name');
    await page.getByText('Nothing of this account has that name.').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const { apiKey } = instance.bootstrap;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    for (const text of [apiKey, `x-service-key: ${apiKey}`]) {
      await box.fill('no such name');
      await page.getByText('Nothing of this account has that name.').waitFor();
      await box.fill(text);
      await page.getByRole('option', { name: /API key/ }).waitFor();
    }
    expect(asked.filter((url) => url.includes(apiKey.slice(16)))).toEqual([]);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it.each([
    ['narrow', { viewport: { width: 360, height: 740 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ] as const)(
    'is without barriers where it is %s',
    async (name, options) => {
      const { page } = await open('/events', options);
      await page.getByRole('row').nth(1).waitFor();
      const summary = page.locator('.figures > summary');
      if (name === 'narrow') {
        expect(await page.locator('.figures').getAttribute('open')).toBeNull();
        await summary.click();
      }
      await facet(page, 'Agent').getByRole('button').first().waitFor();
      await picture(page, `events-figures-${name}`);
      expect(await barriersOf(page)).toEqual([]);
      await summary.click();
      await page.getByRole('checkbox', { name: /^Choose all/ }).click();
      await picture(page, `events-${name}`);
      expect(await barriersOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('combobox', { name: /Merkle root/ }).fill('first');
      await page.getByRole('option').first().waitFor();
      await picture(page, `search-${name}`);
      expect(await barriersOf(page)).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
});
