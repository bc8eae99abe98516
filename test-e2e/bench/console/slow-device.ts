import type { CDPSession, Page } from 'playwright-core';
import type { Countersign } from '../subjects/countersign.js';
import { aimLine } from '../throughput/report.js';

const AIM = { lcpMs: 1500, firstClickMs: 2000, inpMs: 200, cls: 0.05 } as const;
const SCREENS = ['Events', 'Agents', 'Alerts', 'Reports', 'Health', 'Overview'] as const;

/** Web vitals that the browser reports, of the document so far. */
const WATCH = `window.vitals = { lcp: 0, cls: 0, inp: 0 };
const watch = (type, take, options) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
watch('largest-contentful-paint', ({ startTime }) => { window.vitals.lcp = startTime; });
watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) window.vitals.cls += value; });
watch('event', ({ duration, interactionId }) => {
  if (interactionId > 0) window.vitals.inp = Math.max(window.vitals.inp, duration);
}, { durationThreshold: 16 });`;

/** 10 Mbit/s and 40 ms of latency, and a processor that is four times slower. */
async function slow(cdp: CDPSession): Promise<void> {
  const bytes = 10_000_000 / 8;
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/**
 * Prints the vitals of a person who opens the overview on a slow device with an empty cache, and goes through the screens: the
 * largest paint, when the first click is answered, the slowest answer to a click or key, and what moved unasked.
 * @param page of a context that is signed in, and has loaded nothing else
 */
export async function slowDevice(page: Page, { bootstrap }: Countersign, print: (line: string) => void): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await slow(cdp);
  await page.addInitScript(WATCH);
  await page.goto(`${bootstrap.baseUrl}/console#/overview`, { waitUntil: 'commit' });
  const agents = page.getByRole('link', { name: 'Agents', exact: true });
  await agents.click();
  await page.getByRole('heading', { name: 'Agents', level: 1, exact: true }).waitFor();
  const firstClickMs = await page.evaluate<number>('performance.now()');
  await page.reload({ waitUntil: 'commit' });
  await page.locator('tbody th[scope="row"]').first().waitFor();
  const { lcp } = await page.evaluate<{ lcp: number }>('window.vitals');
  for (const name of SCREENS) {
    // The name of a link may end with a count.
    await page.getByRole('navigation').getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    await page.locator('.late, .skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  const { cls, inp } = await page.evaluate<{ cls: number; inp: number }>('window.vitals');
  print('  on a processor 4 times slower, 10 Mbit/s, 40 ms:');
  print(aimLine({ what: 'ms to the largest paint', figure: lcp, atMost: AIM.lcpMs }));
  print(aimLine({ what: 'ms until the first click is answered', figure: firstClickMs, atMost: AIM.firstClickMs }));
  print(aimLine({ what: 'ms of the slowest answer to a click or key', figure: inp, atMost: AIM.inpMs }));
  print(aimLine({ what: 'layout shift', figure: cls, atMost: AIM.cls }));
}
