import type { CDPSession, Page } from 'playwright-core';
import type { Countersign } from '../subjects/countersign.js';
import { aimLine } from '../throughput/report.js';

const AIM = { lcpMs: 1500, firstClickMs: 2000, inpMs: 200, cls: 0.05 } as const;
/** The live feed never ends: after this time everything else has been painted, ms. */
const SETTLED_MS = 5000;
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
 * @param fresh opens a page of a context that is signed in, and has loaded nothing else
 */
export async function slowDevice(
  fresh: () => Promise<Page>,
  { bootstrap }: Countersign,
  print: (line: string) => void,
): Promise<void> {
  const open = async (): Promise<Page> => {
    const page = await fresh();
    await slow(await page.context().newCDPSession(page));
    await page.addInitScript(WATCH);
    await page.goto(`${bootstrap.baseUrl}/console#/overview`, { waitUntil: 'commit' });
    return page;
  };
  // A click ends the search for the largest paint: it is made in another page.
  const watched = await open();
  await watched.locator('.totals a').first().waitFor();
  await watched.waitForLoadState('networkidle', { timeout: SETTLED_MS }).catch(() => undefined);
  const { lcp } = await watched.evaluate<{ lcp: number }>('window.vitals');
  await watched.context().close();
  const page = await open();
  const agents = page.getByRole('link', { name: 'Agents', exact: true });
  await agents.click();
  await page.getByRole('heading', { name: 'Agents', level: 1, exact: true }).waitFor();
  const firstClickMs = await page.evaluate<number>('performance.now()');
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
  await page.context().close();
  print('  on a processor 4 times slower, 10 Mbit/s, 40 ms:');
  print(aimLine({ what: 'ms to the largest paint', figure: lcp, atMost: AIM.lcpMs }));
  print(aimLine({ what: 'ms until the first click is answered', figure: firstClickMs, atMost: AIM.firstClickMs }));
  print(aimLine({ what: 'ms of the slowest answer to a click or key', figure: inp, atMost: AIM.inpMs }));
  print(aimLine({ what: 'layout shift', figure: cls, atMost: AIM.cls }));
}
