import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL('./signals.js', import.meta.url).href;

/** A process that ends by `stop`, given as source text, within `ms`; its exit code and what it logged. */
async function terminated(stop: string, ms: number): Promise<{ code: number | null; logged: string }> {
  const source = `
    import { endOnSignals } from ${JSON.stringify(MODULE)};
    const log = { warn: (_, words) => console.log(words), fatal: (_, words) => console.log(words) };
    endOnSignals(log, ${stop}, ${ms});
    setInterval(() => undefined, 1000);
    console.log('runs');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let logged = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (logged += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  while (!logged.includes('runs')) await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [code] = await ended;
  return { code, logged };
}

describe('SIGTERM', () => {
  it('ends the process with 0 once it has stopped', async () => {
    expect(await terminated('() => Promise.resolve()', 60_000)).toEqual({ code: 0, logged: 'runs\n' });
  });

  it('ends it with 1 when it does not stop cleanly', async () => {
    const { code, logged } = await terminated("() => Promise.reject(new Error('no'))", 60_000);
    expect([code, logged]).toEqual([1, expect.stringContaining('did not stop cleanly')]);
  });

  it('ends it with 1, and says so, when the stop never ends', async () => {
    const { code, logged } = await terminated('() => new Promise(() => undefined)', 100);
    expect([code, logged]).toEqual([1, expect.stringContaining('did not stop in time')]);
  });
});
