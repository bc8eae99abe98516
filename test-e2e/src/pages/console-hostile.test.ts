import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { openBrowser, testedBrowser } from './browser.js';
import { goTo, openConsole, picture, unexpected } from './console-page.js';
import { hostileAccount } from './hostile-account.js';
import type { HostileAccount } from './hostile-account.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;

inBrowser(`hostile content in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let made: HostileAccount;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    made = await hostileAccount(instance);
  }, 400_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  /** Places of each screen that show content of the account. */
  const places = (): readonly string[] => {
    const [first = ''] = made.agents;
    return [
      '/overview',
      '/events',
      `/events?agent=${first}&outcome=denied`,
      `/events/${made.largeEvent}`,
      `/events/${made.deniedEvent}`,
      '/agents',
      '/agents?sort=name',
      `/agents/${first}`,
      `/agents/${first}/profile`,
      `/agents/${first}/history`,
      `/agents/${first}/playground`,
      `/agents/${first}/proofs`,
      `/agents/${first}/connect`,
      '/approvals',
      `/approvals/${made.approval}`,
      '/alerts',
      '/alerts/refused',
      '/alerts/destinations',
      `/alerts/destinations/${made.destination}`,
      '/coverage',
      '/reports',
      '/reports/new',
      '/reports/scope',
      `/reports/${made.report}`,
      '/health',
      '/settings',
      '/settings/api-keys',
      '/settings/people',
      '/settings/legal-holds',
      '/settings/signing-keys',
    ];
  };

  /** Opens a place, and waits until nothing of it is being read. */
  async function show(page: Page, place: string): Promise<void> {
    await goTo(page, place);
    await page.locator('h1').first().waitFor();
    await page.locator('.late, .skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
  }

  /** Elements and addresses that no text may have become. A link within the page may have a text as a filter. */
  const foreign = (page: Page): Promise<number> =>
    page
      .locator(
        [
          '#app :is(script, style, iframe, img, video, math, base, meta, link, form[action], template, plaintext)',
          'a:not([href^="#"]):is([href*="javascript" i], [href*="evil.example"], [href^="data:"]), [onerror], [onload], [onfocus], [onclick]',
        ].join(', '),
      )
      .count();

  it('is in each field', () => {
    expect(HOSTILE_TEXTS).toHaveLength(60);
    expect(new Set(HOSTILE_TEXTS).size).toBe(60);
    // Some fields refuse characters, and an account may have some things only a few times.
    expect(made.taken).toMatchObject({ agent: 60, 'API key': 60, event: 60, 'reason of a freeze': 60 });
    const fewer: Readonly<Record<string, number>> = {
      'release of a hold': 5,
      stream: 10,
      'destination of alerts': 10,
      'note of a link': 10,
    };
    for (const [field, count] of Object.entries(made.taken)) {
      expect([field, count >= (fewer[field] ?? 50)]).toEqual([field, true]);
    }
  });

  it('is text on each screen: nothing runs, nothing is loaded, no policy is violated', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/overview');
    const found: Record<string, unknown> = {};
    const texts: Record<string, string> = {};
    for (const place of places()) {
      await show(page, place);
      found[place] = [await page.evaluate("'hit' in window"), await foreign(page), unexpected(watched)];
      texts[place] = await page.locator('#content').innerText();
    }
    expect(found).toEqual(Object.fromEntries(places().map((place) => [place, [false, 0, []]])));
    const [first = ''] = made.agents;
    const [image = '', script = ''] = HOSTILE_TEXTS;
    for (const place of ['/overview', `/agents/${first}`, `/approvals/${made.approval}`, '/alerts']) {
      expect([place, texts[place]!.includes(image)]).toEqual([place, true]);
    }
    expect(texts[`/events/${made.deniedEvent}`]).toContain(script);
    expect(texts['/reports']).toContain(HOSTILE_TEXTS[12]);
    expect(texts[`/approvals/${made.approval}`]).toContain('invoice⟨U+202E⟩gnp.exe');
    expect(texts['/settings/api-keys']).toContain('⟨U+E0041⟩⟨U+E0042⟩tag');
    expect(texts['/settings/legal-holds']).toContain('pay⟨U+200B⟩pal');
    // Nothing that changes direction or is not seen is left of what people wrote.
    const unseen = /[\u202A-\u202E\u2066-\u2069\u200B\u200E\u200F\u061C\u2060\uFEFF\u00AD\u2028\u2029]|\u{E0041}/u;
    expect(
      Object.entries(texts)
        .filter(([, text]) => unseen.test(text))
        .map(([place]) => place),
    ).toEqual([]);
    expect([...watched.origins]).toEqual([new URL(instance.bootstrap.baseUrl).origin]);
    await picture(page, 'hostile-last');
    await page.context().close();
  }, 300_000);

  it('is nothing to another account, by any screen and any address', async () => {
    const { baseUrl } = instance.bootstrap;
    const other = { email: `stranger-${randomUUID()}@example.com`, password: 'a password that is long enough' };
    const body = { ...other, accountName: 'Another account' };
    const registered = await instance.request('POST', '/v1/auth/register', { body });
    expect(registered.status).toBe(201);
    const { page, watched } = await openConsole(browser, { baseUrl, ...other }, '/overview');
    const secrets = [
      ...made.agents,
      made.largeEvent,
      made.deniedEvent,
      made.approval,
      made.report,
      made.hold,
      made.destination,
    ];
    const answers: string[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/v1/')) return;
      void response.text().then(
        (text) => answers.push(text),
        () => undefined,
      );
    });
    const marks = ['window.hit', 'gnp.exe', 'evil.example', 'hooks.countersign.example'];
    const found: Record<string, unknown> = {};
    for (const place of places()) {
      await show(page, place);
      const text = await page.locator('#content').innerText();
      found[place] = marks.filter((mark) => text.includes(mark));
    }
    expect(found).toEqual(Object.fromEntries(places().map((place) => [place, []])));
    const all = answers.join('\n');
    expect(all.length).toBeGreaterThan(1000);
    expect(marks.filter((mark) => all.includes(mark))).toEqual([]);
    // An id that was asked for may be repeated by no answer either.
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    // The browser reports the 404 of each address.
    const complaints = unexpected(watched).filter((text) => !/^Failed to load resource: .* 404 /.test(text));
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);
});
