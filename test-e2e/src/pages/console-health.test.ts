import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { newDataDir } from '../instance/installation.js';
import { Instance } from '../instance/instance.js';
import { startLocalnet } from '../instance/localnet-process.js';
import type { LocalnetProcess } from '../instance/localnet-process.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';
import { StoppableNode } from './stoppable-node.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const SERVICES = [
  'alerts',
  'anchoring',
  'audit-log',
  'console',
  'gateway',
  'identity',
  'mcp',
  'policy',
  'reporting',
  'verification',
];
/** As the specification of the screen says, and what a busy machine adds. */
const SHOWN_WITHIN_MS = 10_000;
const BUSY_MS = 5000;

inBrowser(`the services on the screen of health${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let network: LocalnetProcess;
  let node: StoppableNode;
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    const dataDir = newDataDir();
    network = await startLocalnet(join(dataDir, '..', 'network'));
    node = await StoppableNode.start(network.rpcUrl);
    instance = await Instance.start({ dataDir, env: { SOLANA_RPC_URL: node.url } });
    browser = await openBrowser(browserName!);
    for (let n = 0; n < 12; n += 1) expect((await instance.check({ type: 'seen' })).status).toBe(200);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
    await node?.stop();
    await network?.end();
  });

  /** The row of a figure or service. */
  const line = (page: Page, name: string): Locator =>
    page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });

  it('are shown beside a question that is not answered, and stay shown where it fails again and again', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/events');
    await page.route('**/readyz', () => undefined);
    await goTo(page, '/health');
    await line(page, 'gateway').getByText('Ready', { exact: true }).waitFor();
    await page.unrouteAll();
    await page.route('**/readyz', (route) => route.abort());
    await goTo(page, '/events');
    await goTo(page, '/health');
    const failure = page.getByText('The server cannot be reached.', { exact: false }).first();
    await failure.waitFor();
    await page.evaluate(`window.hidden = 0; new MutationObserver(() => {
      if (document.querySelector('.late') !== null) window.hidden += 1;
    }).observe(document.body, { subtree: true, childList: true })`);
    const isAsked = (): Promise<unknown> =>
      page.waitForEvent('requestfailed', (request) => request.url().endsWith('/readyz'));
    await isAsked();
    await isAsked();
    await failure.waitFor();
    expect(await page.evaluate('window.hidden')).toBe(0);
    await page.context().close();
  }, 120_000);

  it('are each ready, with figures that can be copied', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/health');
    for (const name of SERVICES) await line(page, name).getByText('Ready', { exact: true }).waitFor();
    await line(page, 'Chain').getByText('Reachable', { exact: true }).waitFor();
    await line(page, 'Checks, 99 % within').getByText(/ ms$/).waitFor();
    await line(page, 'Oldest due alert').getByText('None is due').waitFor();
    await page.getByText(/^Event loop of countersign, edge/).waitFor();
    await page.getByText(/^Event loop of countersign, services/).waitFor();
    // The policy of the page lets it write to the clipboard, and not read.
    await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }');
    await page.getByRole('button', { name: 'Copy figures' }).click();
    const copied = String(await page.evaluate('window.copied'));
    for (const name of SERVICES) expect(copied).toContain(`${name}\tready`);
    await picture(page, 'health-services');
    expect(await barriersOf(page)).toEqual([]);
    await goTo(page, '/overview');
    await page.locator('.card', { hasText: 'Time of a check' }).getByText(/ ms$/).nth(2).waitFor();
    await page.getByText('12 checks of all accounts since the services started.').waitFor();
    await picture(page, 'overview-latency');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('show a chain that is away within 10 s, with its runbook, and that it is back, while checks go on', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/health');
    const chain = line(page, 'Chain');
    await chain.getByText('Reachable', { exact: true }).waitFor();
    await node.stop();
    const stopped = performance.now();
    await chain.getByText('Not reachable').waitFor();
    expect(performance.now() - stopped).toBeLessThan(SHOWN_WITHIN_MS + BUSY_MS);
    expect(await chain.locator('.state-mark.bad').count()).toBe(1);
    expect((await instance.check({ type: 'goes-on' })).status).toBe(200);
    await picture(page, 'health-chain-away');
    expect(await barriersOf(page)).toEqual([]);
    const [runbook] = await Promise.all([
      page.context().waitForEvent('page'),
      chain.getByRole('link', { name: 'What to do Chain' }).click(),
    ]);
    await runbook.getByText('# Windows are not anchored').waitFor();
    await runbook.close();
    await node.open();
    await chain.getByText('Reachable', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await chain.getByRole('link').count()).toBe(0);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 180_000);

  it('are not known, and not ready, while they cannot be asked; the dark and the narrow screen show all', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/health', {
      viewport: { width: 360, height: 800 },
      colorScheme: 'dark',
    });
    // Rows are lists of names and values here.
    const gateway = page.getByRole('row').filter({ hasText: 'gateway' }).first();
    await gateway.getByText('Ready', { exact: true }).waitFor();
    await gateway.scrollIntoViewIfNeeded();
    await picture(page, 'health-services-narrow-dark');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    const answer = { status: 503, json: { error: 'the service cannot be reached at the moment: try again' } };
    await page.route('**/v1/operations', (route) => route.fulfill(answer));
    await page.getByText('The state of the services could not be read').waitFor();
    await gateway.getByText('Not known', { exact: true }).waitFor();
    expect(await page.getByText('Ready', { exact: true }).count()).toBeLessThanOrEqual(1);
    await picture(page, 'health-services-lost');
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('show what one waits for, with the text of the service as text', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/overview');
    const hostile = '<img src=x onerror="window.hit=1">‮';
    const headers = await instance.session();
    const state = (await instance.request('GET', '/v1/operations', { headers })).json as {
      readonly services: readonly { readonly name: string }[];
    };
    const changed: Readonly<Record<string, object>> = {
      policy: { state: 'waiting', waitingFor: [hostile] },
      mcp: { state: 'unknown', problem: 'no answer within 2 s' },
    };
    const services = state.services.map((one) => ({ ...one, ...changed[one.name] }));
    const json = { ...state, services, consumerLag: [{ service: 'policy', messages: 60_000 }] };
    await page.route('**/v1/operations', (route) => route.fulfill({ json }));
    await goTo(page, '/health');
    await line(page, 'policy').getByText('Not ready', { exact: true }).waitFor();
    await line(page, 'policy')
      .getByText(/^<img src=x/)
      .waitFor();
    await line(page, 'mcp').getByText('No answer', { exact: true }).waitFor();
    await line(page, 'mcp').getByRole('link', { name: 'What to do mcp' }).waitFor();
    await line(page, 'policy').getByRole('link', { name: 'What to do Not handled yet' }).waitFor();
    await picture(page, 'health-services-waiting');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    await page.context().close();
  }, 120_000);

  it('are shown to admins alone, and nowhere where the operator has not said so', async () => {
    const headers = await instance.session();
    const body = { email: 'auditor@health.example', password: 'a long enough password', role: 'auditor' };
    expect((await instance.request('POST', '/v1/users', { headers, body })).status).toBe(201);
    const { baseUrl } = instance.bootstrap;
    const asked: string[] = [];
    const auditor = await openConsole(browser, { baseUrl, email: body.email, password: body.password }, '/overview');
    auditor.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await goTo(auditor.page, '/health');
    await auditor.page.getByRole('heading', { name: 'Completeness' }).waitFor();
    expect(await auditor.page.getByText('Figures of the services').count()).toBe(0);
    expect(asked.filter((path) => path === '/v1/operations')).toEqual([]);
    expect(unexpected(auditor.watched)).toEqual([]);
    await auditor.page.context().close();
    const off = await Instance.start({ env: { COUNTERSIGN_CONSOLE_OPERATIONS: 'false' } });
    try {
      const { page, watched } = await openConsole(browser, off.bootstrap, '/overview');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await goTo(page, '/health');
      await page.getByText('Not configured').waitFor();
      await page.getByText('COUNTERSIGN_CONSOLE_OPERATIONS=true').waitFor();
      // The page knows: a question that is answered with 404 would be reported by the browser.
      expect(unexpected(watched)).toEqual([]);
      await picture(page, 'health-services-off');
      expect(await barriersOf(page)).toEqual([]);
      await page.context().close();
    } finally {
      await off.discard();
    }
  }, 180_000);
});
