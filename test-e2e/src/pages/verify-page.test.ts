import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { openBrowser, testedBrowser, watch } from './browser.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const VECTORS = new URL('../../../libs/evidence/vectors/', import.meta.url);

interface Vector {
  readonly package: object;
  readonly keys: readonly { readonly pem: string }[];
}

interface SeriesVector {
  readonly series: object;
  readonly packages: readonly object[];
  readonly keys: readonly { readonly pem: string }[];
}

inBrowser(`the page /verify${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'verify-page-'));
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
    rmSync(folder, { recursive: true });
  });

  it('shows human oversight in sum, by person and by rule, also on a narrow screen', async () => {
    const { package: pkg, keys } = JSON.parse(readFileSync(new URL('oversight-valid.json', VECTORS), 'utf8')) as Vector;
    const file = join(folder, 'oversight.json');
    writeFileSync(file, JSON.stringify(pkg));
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    const watched = watch(page);
    const whole = page.waitForResponse('**/verify/redecide.js');
    await page.goto(`${instance.bootstrap.baseUrl}/verify`);
    await (await whole).finished();
    await page.locator('#pem').fill(keys[0]!.pem);
    await page.locator('#file').setInputFiles(file);
    await page.locator('#oversight').waitFor({ timeout: 30_000 });
    expect(await page.locator('#oversight').innerText()).toContain('3 approved, 1 denied, 1 not decided in time');
    expect(await page.getByRole('region', { name: 'Decisions by person' }).innerText()).toContain('ana');
    expect(await page.getByRole('region', { name: 'Decisions by rule' }).count()).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(watched.complaints).toEqual([]);
    await page.close();
  }, 60_000);

  it('verifies a series with its packages, which are chosen at once, and says which file is missing', async () => {
    const { series, packages, keys } = JSON.parse(
      readFileSync(new URL('series/valid-three.json', VECTORS), 'utf8'),
    ) as SeriesVector;
    const write = (name: string, value: object): string => {
      writeFileSync(join(folder, name), JSON.stringify(value));
      return join(folder, name);
    };
    const files = [...packages.map((one, i) => write(`package-${i}.json`, one)), write('series.json', series)];
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    const watched = watch(page);
    await page.goto(`${instance.bootstrap.baseUrl}/verify`);
    await page.locator('#pem').fill(keys[0]!.pem);
    await page.locator('#file').setInputFiles(files);
    const verdict = page.locator('#verdict');
    await verdict.waitFor({ timeout: 30_000 });
    expect(await verdict.innerText()).toBe('Nothing is wrong, but not everything was checked');
    expect(await page.locator('#result').innerText()).toContain('3, 3 of them among the files');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);

    await page.locator('#file').setInputFiles(files.slice(1));
    await page.getByText('[series-package-missing]').waitFor({ timeout: 30_000 });
    expect(await verdict.innerText()).toBe('Do not rely on this file');
    expect(watched.complaints).toEqual([]);
    await page.close();
  }, 60_000);
});
