import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { openBrowser, testedBrowser, watch } from './browser.js';
import type { Watched } from './browser.js';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Shown>> };
}
interface Shown {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const IDS = /7c1f8a52-3d0e-4b61-9c37-5f0e2a94d610/g;

describe('the API description', () => {
  let instance: Instance;
  let document: Document;
  let operations: Operation[];
  beforeAll(async () => {
    instance = await Instance.start();
    document = (await instance.request('GET', '/v1/openapi.json')).json as Document;
    operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  }, 90_000);
  afterAll(() => instance?.discard());

  it('begins with an example that works when pasted', async () => {
    const [, script = ''] = /```sh\n([^]*?)```/u.exec(document.info.description) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: dirname(instance.dataDir) });
    expect(stdout).toBe('{"allowed":true}');
  });

  it('has an example for each body of an agent’s request, which works with a real id', async () => {
    const { agentId, apiKey } = instance.bootstrap;
    const checked = await instance.check({ type: 'tool_use' });
    const eventId = String(checked.headers['x-event-id']);
    const statuses: Record<string, number> = {};
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security, requestBody }] of Object.entries(methods)) {
        if (requestBody === undefined || !security.some((scheme) => 'apiKey' in scheme)) continue;
        const { example, examples = {} } = requestBody.content['application/json'] ?? {};
        const bodies = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ];
        expect([path, bodies.length]).not.toEqual([path, 0]);
        for (const body of bodies) {
          const own = JSON.stringify(body)
            .replace(IDS, agentId)
            .replace(/01a20038-91aa-71c6-928d-4e46bb344f5b/g, eventId);
          const answer = await instance.request(method.toUpperCase(), path.replace('{id}', agentId), {
            headers: { 'x-service-key': apiKey },
            body: JSON.parse(own),
          });
          // A token of a denial of this installation cannot stand in a document.
          if (path === '/access/v1/requests') expect(answer.text).toContain('invalid_denial_binding');
          else statuses[path] = Math.max(statuses[path] ?? 0, answer.status);
        }
      }
    }
    expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([]);
    expect(Object.keys(statuses)).toContain('/v1/mcp/log');
  });

  it('is a page whose files are cached by their hash, and revalidated without one', async () => {
    const page = await instance.request('GET', '/docs');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, no-cache',
    });
    const named = [...page.text.matchAll(/"docs\/([^"]+)"/g)].map(([, name]) => name!);
    expect(named).toHaveLength(5);
    for (const name of named) {
      const { status, headers } = await instance.request('GET', `/docs/${name}`);
      expect([name, status, headers['cache-control']]).toEqual([name, 200, 'public, max-age=31536000, immutable']);
      const again = { headers: { 'if-none-match': String(headers['etag']) } };
      expect((await instance.request('GET', `/docs/${name}`, again)).status).toBe(304);
    }
    expect((await instance.request('GET', '/docs/page.js')).headers['cache-control']).toBe('public, no-cache');
    const accepting = { 'accept-encoding': 'br, gzip' };
    const { headers: zipped } = await instance.request('GET', '/docs/page.css', { headers: accepting });
    expect(zipped).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    const known = { 'if-none-match': String(zipped['etag']) };
    const again = async (headers: object): Promise<number> =>
      (await instance.request('GET', '/docs/page.css', { headers: { ...known, ...headers } })).status;
    expect([await again(accepting), await again({})]).toEqual([304, 200]);
    for (const name of ['page.0123456789abcdef.js', 'index.html', '..%2Fpackage.json']) {
      expect((await instance.request('GET', `/docs/${name}`)).status).toBe(404);
    }
  });

  inBrowser(`in a browser${browserName === null ? ' (needs chromium)' : ''}`, () => {
    let browser: Browser;
    let page: Page;
    let watched: Watched;
    beforeAll(async () => {
      browser = await openBrowser(browserName!);
      page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
      watched = watch(page);
      await page.goto(`${instance.bootstrap.baseUrl}/docs`);
      await page.locator('.opblock').first().waitFor({ timeout: 60_000 });
    }, 120_000);
    afterAll(() => browser?.close());

    it('shows every operation under its tag, in the order of the document', async () => {
      // The page holds only the operations near the part that is in view.
      const shown = new Set<string>();
      const scrolled = (): Promise<number> => page.evaluate('scrollY');
      await page.mouse.move(640, 500);
      for (let from = -1; from !== (await scrolled());) {
        from = await scrolled();
        const inView = page.locator('.opblock-tag, .opblock');
        for (const id of await inView.evaluateAll((found) => found.map((one) => one.id))) shown.add(id);
        await page.mouse.wheel(0, 400);
        await page.waitForTimeout(150);
      }
      const expected = document.tags.flatMap(({ name }) => [
        `operations-tag-${name}`,
        ...operations.filter(({ tags }) => tags[0] === name).map((one) => `operations-${name}-${one.operationId}`),
      ]);
      const messages = [...shown].filter((id) => id.startsWith('operations-webhooks-'));
      expect(messages.map((id) => id.replace('\\', ''))).toEqual([
        'operations-webhooks-violation.blocked',
        'operations-webhooks-approval.requested',
        'operations-webhooks-alert.test',
      ]);
      expect([...shown].filter((id) => !messages.includes(id))).toEqual(expected.map((id) => id.replaceAll(' ', '_')));
      await page.evaluate('scrollTo(0, 0)');
    }, 60_000);

    it('sends a request with an API key, and shows the answer', async () => {
      const { agentId, apiKey } = instance.bootstrap;
      await page.locator('.auth-wrapper > .authorize, button.authorize').first().click();
      await page.locator('.auth-container', { hasText: 'x-service-key' }).locator('input').first().fill(apiKey);
      await page.locator('.auth-container', { hasText: 'x-service-key' }).locator('button.authorize').click();
      await page.locator('.btn-done').first().click();
      const check = page.locator('#operations-Checks-checkAction');
      await check.locator('.opblock-summary-control').click();
      await check.locator('.try-out__btn').click();
      const body = check.locator('textarea.body-param__text');
      await body.fill((await body.inputValue()).replace(IDS, agentId));
      await check.locator('button.execute').click();
      const answer = check.locator('.live-responses-table .response').first();
      await answer.waitFor({ timeout: 30_000 });
      expect(await answer.locator('.response-col_status').first().innerText()).toContain('200');
      expect((await answer.locator('.highlight-code').first().innerText()).replaceAll(/\s/g, '')).toContain(
        '{"allowed":true}',
      );
    }, 60_000);

    it('sends requests only to its own origin, and violates no policy', () => {
      expect([...watched.origins]).toEqual([instance.bootstrap.baseUrl]);
      expect(watched.complaints).toEqual([]);
    });

    it('links to /verify, which verifies a report under its own policy, and uploads nothing', async () => {
      const [headers, now] = [await instance.session(), Date.now()];
      const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() };
      const body = { format: 'json', frameworks: ['soc2'], ...range };
      const report = await instance.request('POST', '/v1/events/export-signed', { headers, body });
      const reader = await browser.newPage();
      const seen = watch(reader);
      const methods = new Set<string>();
      reader.on('request', (request) => methods.add(request.method()));
      await reader.goto(`${instance.bootstrap.baseUrl}/verify`);
      const verdict = async (text: string, title: string): Promise<void> => {
        const file = { name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(text) };
        await reader.locator('#file').setInputFiles(file);
        await reader.locator('button[type=submit]').click();
        await reader.locator('#verdict', { hasText: title }).waitFor({ timeout: 30_000 });
      };
      await verdict(report.text, 'Nothing is wrong, but not everything was checked');
      await verdict(report.text.replace('"allowed":true', '"allowed":false'), 'Do not rely on this file');
      expect([[...seen.origins], [...methods], seen.complaints]).toEqual([[instance.bootstrap.baseUrl], ['GET'], []]);
      await reader.close();
    }, 60_000);
  });
});
