import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { CDPSession, Page } from 'playwright-core';
import { LoadGenerator } from '../load/load-generator.js';
import type { BenchOptions } from '../options.js';
import { slowDevice } from './slow-device.js';
import { soak } from './soak.js';
import { seed } from '../stored/seed.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { json } from '../subjects/http.js';
import { PROFILE } from '../subjects/requests.js';
import { aimLine } from '../throughput/report.js';

const AGENTS = 500;
/** Agents that are made at a time. */
const AT_ONCE = 10;
/** One agent of so many is denied everything. */
const DENIED_OF = 20;
const SCROLLED_PAGES = 30;
const AIM = { rowMs: 1_500, filterMs: 100, taskMs: 100, heapMiB: 150, answerKiB: 512, rows: 60 } as const;
/** Screens, and an element that is there once their data are. */
const SCREENS = [
  ['/overview', '.totals a'],
  ['/events', '[role="row"][data-index]'],
  ['/agents', 'tbody th[scope="row"]'],
  ['/alerts', 'tbody td a'],
  ['/health', 'main h2'],
] as const;

/**
 * Prints, of an instance with 500 agents and this many events, how long each screen of the console takes to its first row, and
 * of the list of events while it is scrolled: its longest task, its rows in the document, its memory and its largest answer.
 * Then its memory while checks come in, and the vitals on a slow device.
 */
export async function consoleScreens(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const generator = new LoadGenerator(undefined);
  const instance = await Countersign.start({ dataDir: join(folder.path, 'data') });
  try {
    await seed(instance, generator, options.events, (stored) => print(`${stored} stored`), await agents(instance));
    const found = spawnSync('sh', ['-c', 'command -v chromium chromium-browser google-chrome'], { encoding: 'utf8' });
    const executablePath = found.stdout.split('\n')[0] ?? '';
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await measure(page, instance, print);
      await soak(page, instance, generator, options.repetitions === 1 ? 60 : 600, print);
      const { cookies } = await context.storageState();
      const fresh = async (): Promise<Page> => {
        const empty = await browser.newContext();
        await empty.addCookies(cookies);
        return empty.newPage();
      };
      await slowDevice(fresh, instance, print);
    } finally {
      await browser.close();
    }
  } finally {
    generator.stop();
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function agents(instance: Countersign): Promise<readonly string[]> {
  const { baseUrl } = instance.bootstrap;
  const session = await instance.session();
  const make = async (n: number): Promise<string> => {
    const { id } = await json<{ id: string }>(baseUrl, 'POST', '/v1/agents', session, { name: `Agent ${n}` });
    const profile = n % DENIED_OF === 0 ? { blocked_apis: ['*.airline.example'] } : PROFILE;
    await json(baseUrl, 'PATCH', `/v1/agents/${id}/profile`, session, profile);
    return id;
  };
  const ids: string[] = [];
  for (let from = 0; from < AGENTS; from += AT_ONCE) {
    ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => make(from + n)))));
  }
  return ids;
}

async function measure(page: Page, { bootstrap }: Countersign, print: (line: string) => void): Promise<void> {
  const { baseUrl, email, password } = bootstrap;
  let largest = { kib: 0, path: '' };
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  const paths = new Map<string, string>();
  cdp.on('Network.responseReceived', ({ requestId, response }) => void paths.set(requestId, response.url));
  const received = new Map<string, number>();
  cdp.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const path = new URL(paths.get(requestId) ?? baseUrl).pathname;
    if (!path.startsWith('/v1/') || path.endsWith('/stream')) return;
    const kib = (received.get(requestId) ?? 0) + dataLength / 1024;
    received.set(requestId, kib);
    if (kib > largest.kib) largest = { kib, path };
  });
  await page.goto(`${baseUrl}/console#/settings`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('.shell').waitFor();
  for (const [place, first] of SCREENS) {
    const begun = performance.now();
    await page.evaluate(`window.location.hash = ${JSON.stringify(place)}`);
    await page.locator(first).first().waitFor({ timeout: 60_000 });
    print(aimLine({ what: `ms to the first row of ${place}`, figure: performance.now() - begun, atMost: AIM.rowMs }));
  }
  await filterAgents(page, print);
  await scrollEvents(page, cdp, print);
  print(aimLine({ what: `KiB of the largest answer, ${largest.path}`, figure: largest.kib, atMost: AIM.answerKiB }));
}

async function filterAgents(page: Page, print: (line: string) => void): Promise<void> {
  await page.evaluate("window.location.hash = '/agents'");
  const rows = page.locator('tbody th[scope="row"]');
  await rows.first().waitFor();
  print(`  ${await rows.count()} rows of agents in the document`);
  // From the key to the frame that shows its rows, measured in the page.
  const filterMs = await page.evaluate<number>(`new Promise((resolve) => {
    const input = document.querySelector('.filters input');
    const begun = performance.now();
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    value.set.call(input, 'Agent 49');
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const look = () => document.querySelectorAll('tbody th[scope="row"]').length <= 11
      ? requestAnimationFrame(() => resolve(performance.now() - begun)) : requestAnimationFrame(look);
    look();
  })`);
  print(aimLine({ what: `ms to filter ${AGENTS} agents`, figure: filterMs, atMost: AIM.filterMs }));
}

async function scrollEvents(page: Page, cdp: CDPSession, print: (line: string) => void): Promise<void> {
  await page.evaluate("window.location.hash = '/events'");
  await page.locator('[role="row"][data-index]').first().waitFor();
  await page.evaluate(`window.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ entryTypes: ['longtask'] })`);
  const seen = new Set<string>();
  for (let n = 0; n < SCROLLED_PAGES; n += 1) {
    const shown = await page.evaluate<string[]>(`(() => {
      const rows = [...document.querySelectorAll('[role="row"][data-index]')];
      let box = rows[0].parentElement;
      while (box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
      box.scrollTop = box.scrollHeight;
      return rows.map((row) => row.getAttribute('data-index'));
    })()`);
    for (const index of shown) seen.add(index);
    await page.waitForTimeout(150);
  }
  const rows = await page.locator('[role="row"][data-index]').count();
  const last = Math.max(...[...seen].map(Number));
  print(`  scrolled to row ${last}`);
  print(aimLine({ what: 'rows of events in the document', figure: rows, atMost: AIM.rows }));
  const longest = await page.evaluate<number>('window.longest');
  print(aimLine({ what: 'ms of the longest task while scrolling', figure: longest, atMost: AIM.taskMs }));
  await cdp.send('HeapProfiler.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  print(aimLine({ what: 'MiB of heap afterwards', figure: usedSize / 1024 / 1024, atMost: AIM.heapMiB }));
}
