import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser, watch } from './browser.js';
import type { Watched } from './browser.js';
import { barriersOf } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;

/** Text that misleads or tries to run. */
const HOSTILE = [
  '<img src=x onerror="window.hit=1">',
  '<script>window.hit=1</script>',
  'javascript:window.hit=1',
  'invoice\u202Egnp.exe',
  'pay\u200Bpal\u00AD\uFEFF',
  '{{7*7}} ${7*7} =cmd|calc',
  '\u{E0041}tag',
];

/** The browser reports an answer with 401 as an error, and the page asks for a session before there is one. */
const unexpected = ({ complaints }: Watched): readonly string[] =>
  complaints.filter((text) => !/^Failed to load resource: .* 401 /.test(text));

describe('the address of the service', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await Instance.start();
  }, 90_000);
  afterAll(() => instance?.discard());

  it('leads a browser to the console, and answers programs as before', async () => {
    const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
    const browser = await instance.request('GET', '/', { headers: { accept } });
    expect([browser.status, browser.headers['location'], browser.headers['vary']]).toEqual([302, 'console', 'accept']);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const program = await instance.request('GET', '/', { headers });
      expect([program.status, (program.json as { name: string }).name]).toEqual([200, 'Countersign']);
    }
    const page = await instance.request('GET', '/console');
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/i);
    const named = [...page.text.matchAll(/"console\/([^"]+)"/g)].map(([, name]) => name!);
    expect(named.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1);
    for (const name of named) expect((await instance.request('GET', `/console/${name}`)).status).toBe(200);
  });

  inBrowser(`the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
    let browser: Browser;
    let agents: string[];
    let auditor: { readonly email: string; readonly password: string };
    beforeAll(async () => {
      browser = await openBrowser(browserName!);
      const headers = await instance.session();
      const post = async (path: string, body: object): Promise<unknown> =>
        (await instance.request('POST', path, { headers, body })).json;
      agents = [];
      for (const name of HOSTILE) agents.push(((await post('/v1/agents', { name })) as { id: string }).id);
      const profile = { blocked_apis: ['evil.example'] };
      await instance.request('PATCH', `/v1/agents/${agents[0]!}/profile`, { headers, body: profile });
      for (let n = 0; n < 230; n += 1) {
        const url = n % 10 === 0 ? 'https://evil.example/' : 'https://api.example.com/';
        const metadata = { note: HOSTILE[n % HOSTILE.length], deep: { deep: { deep: { deep: [n] } } } };
        const answer = await instance.check({ type: 'http_call', url, metadata }, { agentId: agents[0]! });
        expect(answer.status).toBe(200);
      }
      auditor = { email: 'auditor@example.com', password: 'a password of an auditor' };
      await post('/v1/users', { ...auditor, role: 'auditor' });
      await eventually('all events in the list', 30, async () => {
        const answer = await instance.request('GET', '/v1/events?outcome=denied&limit=1', { headers });
        return (answer.json as { total: number }).total === 23 ? true : null;
      });
    }, 120_000);
    afterAll(() => browser?.close());

    async function open(
      place = '',
      options: Parameters<Browser['newContext']>[0] = {},
      context?: BrowserContext,
    ): Promise<{ page: Page; watched: Watched }> {
      const page = await (context ?? (await browser.newContext(options))).newPage();
      const watched = watch(page);
      await page.goto(`${instance.bootstrap.baseUrl}/console${place}`);
      return { page, watched };
    }
    async function signIn(page: Page, { email, password } = instance.bootstrap): Promise<void> {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.locator('.shell').waitFor();
    }
    const rows = (page: Page) => page.locator('.grid-body [role=row]');

    it('refuses a wrong password with the reason, and signs in with a cookie that no script reads', async () => {
      const { page, watched } = await open();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.title()).toBe('Sign in · Countersign');
      expect(await barriersOf(page)).toEqual([]);
      await page.getByLabel('E-mail address').fill(instance.bootstrap.email);
      await page.getByLabel('Password').fill('not this one');
      await page.keyboard.press('Enter');
      expect(await page.getByRole('alert').innerText()).toContain('wrong e-mail address or password');
      expect(await barriersOf(page)).toEqual([]);
      await signIn(page);
      await rows(page).first().waitFor();
      const [cookie, ...others] = await page.context().cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ name: 'csn_session', httpOnly: true, sameSite: 'Strict', path: '/' });
      const stored = await page.evaluate('document.cookie + JSON.stringify([localStorage, sessionStorage])');
      expect(stored).toBe('[{},{}]');
      expect([...watched.origins]).toEqual([instance.bootstrap.baseUrl]);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    }, 60_000);

    it('signs in by the printed link, once, at the name of its own as well', async () => {
      const [named = '', plain = ''] = instance.output.match(/http:\/\/\S+\/console#\/sign-in\/\S+/g) ?? [];
      expect(plain).toBe(named.replace('countersign.localhost', '127.0.0.1'));
      expect(new URL(named).hostname).toBe('countersign.localhost');
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(named);
      await page.getByRole('heading', { name: 'First steps' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/welcome');
      const other = await (await browser.newContext()).newPage();
      await other.goto(plain);
      expect(await other.getByRole('alert').innerText()).toContain('this link was used already');
      expect(new URL(other.url()).hash).toBe('#/welcome');
      const { code, stdout } = await instance.command('console');
      expect(code).toBe(0);
      await other.goto(stdout.trim());
      await rows(other).first().waitFor();
      await context.close();
      await other.context().close();
    }, 60_000);

    it('returns to the requested place after signing in, and keeps filters in the address', async () => {
      const { page } = await open('#/events?outcome=denied');
      await signIn(page);
      await rows(page).first().waitFor();
      expect(await page.getByText('23 events', { exact: true }).count()).toBe(1);
      await page.getByLabel('Agent', { exact: true }).selectOption({ value: agents[1]! });
      await page.getByText('No event matches these filters').waitFor();
      expect(new URL(page.url()).hash).toBe(`#/events?agent=${agents[1]!}&outcome=denied`);
      expect(new URL(page.url()).search).toBe('');
      expect(await barriersOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Without agent/ }).click();
      await rows(page).first().waitFor();
      await page.reload();
      await rows(page).first().waitFor();
      expect(await page.getByLabel('Outcome').inputValue()).toBe('denied');
      await page.context().close();
    }, 60_000);

    it('lists every event once, to the end, with as many as are exported', async () => {
      const { page } = await open(`#/events?type=action.checked`);
      await signIn(page);
      await rows(page).first().waitFor();
      const seen = new Set<string>();
      const end = page.getByText('End of the list: 230 events');
      await eventually('the end of the list', 30, async () => {
        const body = page.locator('.grid-body');
        const isAtEnd = await body.evaluate((list) => list.scrollTop + list.clientHeight > list.scrollHeight - 2);
        const isEnd = isAtEnd && (await end.isVisible());
        const found = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')!));
        for (const index of found) seen.add(index);
        if (isEnd) return true;
        // Fewer pixels than are rendered beyond the visible part.
        await body.evaluate((list) => list.scrollBy(0, 300));
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        return null;
      });
      expect(seen.size).toBe(230);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export CSV' }).click(),
      ]);
      const lines = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.length).toBe(231);
      await page.context().close();
    }, 60_000);

    it('is worked by keyboard alone: rows, event, screens, shortcuts, and back', async () => {
      const { page } = await open('#/events?type=action.checked');
      await signIn(page);
      await rows(page).first().waitFor();
      const selected = async (): Promise<string | null> => new URLSearchParams(page.url().split('?')[1]).get('event');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      expect(await page.evaluate("document.activeElement.getAttribute('data-index')")).toBe('1');
      await page.keyboard.press('Enter');
      const panel = page.getByRole('complementary', { name: 'Event' });
      await panel.waitFor();
      const first = await selected();
      expect(await barriersOf(page)).toEqual([]);
      await page.keyboard.press('n');
      await eventually('the next event', 30, async () => ((await selected()) === first ? null : true));
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.waitFor();
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      await page.keyboard.press('g');
      await page.keyboard.press('a');
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Events' }).waitFor();
      await page.context().close();
    }, 60_000);

    it('shows hostile text as text', async () => {
      const { page, watched } = await open('#/agents');
      await signIn(page);
      await page.getByRole('row', { name: /onerror/ }).waitFor();
      const names = await page.locator('.agent-name').allInnerTexts();
      expect(names).toContain(HOSTILE[0]);
      expect(names).toContain(HOSTILE[1]);
      expect(names).toContain('invoice⟨U+202E⟩gnp.exe');
      expect(names).toContain('pay⟨U+200B⟩pal⟨U+00AD⟩⟨U+FEFF⟩');
      expect(names).toContain('⟨U+E0041⟩tag');
      await page.goto(`${instance.bootstrap.baseUrl}/console#/events?type=action.checked`);
      await rows(page).nth(4).click();
      for (let n = 0; n < HOSTILE.length; n += 1) await page.keyboard.press('j');
      await page.getByText('"note"').first().waitFor();
      expect(await page.evaluate("'hit' in window")).toBe(false);
      expect(await page.locator('#app img, #app script, #app style, a[href^="javascript:"]').count()).toBe(0);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    }, 60_000);

    it('freezes an agent, and shows the state that the server answered', async () => {
      const { page } = await open('#/agents');
      await signIn(page);
      const row = page.getByRole('row', { name: /7\*7/ });
      await row.getByRole('button', { name: 'Freeze' }).click();
      const dialog = page.getByRole('dialog');
      expect(await barriersOf(page)).toEqual([]);
      await dialog.getByLabel(/Reason/).fill('seen in the console');
      await dialog.getByRole('button', { name: 'Freeze', exact: true }).click();
      await row.getByText('frozen').waitFor();
      const check = await instance.check({ type: 'a' }, { agentId: agents[5]! });
      expect(check.status).toBe(403);
      await row.getByRole('button', { name: 'Unfreeze' }).click();
      await dialog.getByRole('button', { name: 'Unfreeze' }).click();
      await row.getByText('active').waitFor();
      expect((await instance.check({ type: 'a' }, { agentId: agents[5]! })).status).toBe(200);
      await page.context().close();
    }, 60_000);

    it('lets an auditor read, and names the role that more needs', async () => {
      const { page } = await open('#/agents');
      await signIn(page, { ...instance.bootstrap, ...auditor });
      const freeze = page.getByRole('button', { name: 'Freeze' }).first();
      await freeze.waitFor();
      expect([await freeze.getAttribute('aria-disabled'), await freeze.getAttribute('title')]).toEqual([
        'true',
        'Needs the role member: your role is auditor',
      ]);
      await freeze.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.context().close();
    }, 60_000);

    it('shows what failed with its request id, keeps what it showed, and recovers', async () => {
      const { page } = await open('#/events');
      await signIn(page);
      await rows(page).first().waitFor();
      await page.route('**/v1/events?*', (route) =>
        route.fulfill({ status: 500, headers: { 'x-request-id': 'request-77' }, json: { error: 'internal error' } }),
      );
      await page.getByLabel('Outcome').selectOption('denied');
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.innerText()).toContain('request-77');
      expect(await rows(page).count()).toBeGreaterThan(5);
      expect(await barriersOf(page)).toEqual([]);
      await page.unroute('**/v1/events?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('23 events', { exact: true }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.context().close();
    }, 60_000);

    it('ends the session in all tabs, and asks to sign in again where it ended elsewhere', async () => {
      const { page } = await open('#/agents');
      await signIn(page);
      const { page: other } = await open('#/events', {}, page.context());
      await rows(other).first().waitFor();
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      for (const tab of [page, other]) {
        await tab.getByText('You are signed out.').waitFor();
        expect(await tab.locator('.shell').count()).toBe(0);
      }
      expect(await page.context().cookies()).toEqual([]);
      await signIn(page);
      const [cookie] = await page.context().cookies();
      const headers = { authorization: `Bearer ${cookie!.value}` };
      expect((await instance.request('POST', '/v1/auth/logout', { headers })).status).toBe(204);
      await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
      await page.getByText('The session has ended').waitFor();
      await page.context().close();
    }, 60_000);

    it.each([
      ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
      ['360 px wide', { viewport: { width: 360, height: 740 } }],
    ] as const)(
      'has no barrier in its screens: %s',
      async (_what, options) => {
        const { page, watched } = await open('', options);
        await page.getByLabel('Password').waitFor();
        const found: Record<string, readonly string[]> = { 'sign-in': await barriersOf(page) };
        await signIn(page);
        await rows(page).first().waitFor();
        found['events'] = await barriersOf(page);
        await rows(page).first().click();
        await page.getByRole('complementary', { name: 'Event' }).waitFor();
        found['event'] = await barriersOf(page);
        await page.goto(`${instance.bootstrap.baseUrl}/console#/agents`);
        await page.getByRole('row', { name: /onerror/ }).waitFor();
        found['agents'] = await barriersOf(page);
        await page.getByRole('button', { name: /^Account/ }).click();
        await page.getByRole('menuitem', { name: 'Change password…' }).click();
        await page.getByLabel('Current password').waitFor();
        found['password'] = await barriersOf(page);
        expect(found).toEqual({ 'sign-in': [], events: [], event: [], agents: [], password: [] });
        const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect(wide).toBeLessThanOrEqual(0);
        expect(unexpected(watched)).toEqual([]);
        await page.context().close();
      },
      60_000,
    );

    it('does nothing for pages of other origins', async () => {
      const { page } = await open();
      await signIn(page);
      // Another port of this machine is the same site, so the browser sends the cookie.
      const foreign = await page.context().newPage();
      const { baseUrl } = instance.bootstrap;
      const other = baseUrl.replace('127.0.0.1', 'localhost');
      await foreign.goto(`${other}/docs`);
      const statuses = await foreign.evaluate(async (target) => {
        const ask = (path: string, init: RequestInit): Promise<string> =>
          fetch(target + path, { credentials: 'include', ...init }).then(
            (response) => String(response.status),
            () => 'refused by the browser',
          );
        return [
          await ask('/v1/session', {}),
          await ask('/v1/agents', { method: 'POST', body: '{"name":"theirs"}', mode: 'no-cors' }),
        ];
      }, baseUrl);
      expect(statuses[0]).toBe('refused by the browser');
      const headers = await instance.session();
      const { json } = await instance.request('GET', '/v1/agents?limit=1000', { headers });
      expect((json as { agents: { name: string }[] }).agents.map(({ name }) => name)).not.toContain('theirs');
      await page.context().close();
    }, 60_000);
  });
});
