import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { consoleRoutes } from '@countersign/contracts';
import { createEdge } from '@countersign/http-edge';
import { createLogger } from '@countersign/process';
import { ConsoleFiles, isHashed } from './console-files.js';
import { CONTENT_SECURITY_POLICY, PAGE_HEADERS, serveConsole } from './serve-console.js';

describe('the files of the console', () => {
  let folder: string;
  let base: string;
  let close: () => void;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-'));
    const files = {
      'index.html': '<!doctype html>',
      'console.0A1B2C3D.js': 'export {};',
      'icon.svg': '<svg/>',
      'runbook-disk-full.txt': '# Disk',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'secret.json'), '{}');
    const handle = serveConsole(new ConsoleFiles(pathToFileURL(`${folder}/`)));
    const edge = createEdge({
      routes: Object.values(consoleRoutes).map((route) => ({ route, handle })),
      authenticator: undefined as never,
      log: createLogger('silent'),
      observe: () => undefined,
    });
    const server = createServer(edge);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => server.close();
  });
  afterAll(async () => {
    close();
    await rm(folder, { recursive: true });
  });

  it('are served under one policy; what has a hash in its name is kept for a year', async () => {
    for (const [path, type, caching] of [
      ['/console', 'text/html; charset=utf-8', 'public, no-cache'],
      ['/console/icon.svg', 'image/svg+xml', 'public, no-cache'],
      ['/console/runbook-disk-full.txt', 'text/plain; charset=utf-8', 'public, no-cache'],
      ['/console/console.0A1B2C3D.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ] as const) {
      const response = await fetch(base + path);
      const shown = Object.fromEntries(response.headers);
      expect([path, response.status]).toEqual([path, 200]);
      expect(shown).toMatchObject({ ...PAGE_HEADERS, 'content-type': type, 'cache-control': caching });
      expect(shown['x-content-type-options']).toBe('nosniff');
      const known = { 'if-none-match': shown['etag']! };
      expect((await fetch(base + path, { headers: known })).status).toBe(304);
    }
  });

  it('are only those of the page', async () => {
    for (const name of [
      'secret.json',
      'index.html',
      'console.FFFFFFFF.js',
      '..%2Fpackage.json',
      '%2e%2e',
      '.js',
      'a%00.js',
    ]) {
      const { status } = await fetch(`${base}/console/${name}`);
      expect([name, [400, 404].includes(status)]).toEqual([name, true]);
    }
    expect([isHashed('console.0A1B2C3D.js'), isHashed('icon.svg')]).toEqual([true, false]);
  });

  it('are compressed for those that accept it', async () => {
    const response = await fetch(`${base}/console`, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe('<!doctype html>');
    const file = (await new ConsoleFiles(pathToFileURL(`${folder}/`)).file('icon.svg'))!;
    expect(gunzipSync(await file.zipped()).toString()).toBe('<svg/>');
  });

  it('say in the page where the state of the installation is not shown', async () => {
    const site = new URL('../web/', import.meta.url);
    const textOf = async (files: ConsoleFiles): Promise<string> => Buffer.from((await files.page()).content).toString();
    const [on, off] = await Promise.all([textOf(new ConsoleFiles(site)), textOf(new ConsoleFiles(site, false))]);
    expect(on).toContain('<meta name="countersign-operations" content="on" />');
    expect(off).toBe(on.replace('content="on"', 'content="off"'));
  });

  it('are read again after a build that came later', async () => {
    const files = new ConsoleFiles(pathToFileURL(`${folder}/`));
    expect(await files.file('late.js')).toBeNull();
    await writeFile(join(folder, 'late.js'), '1');
    expect(await files.file('late.js')).not.toBeNull();
    const empty = new ConsoleFiles(pathToFileURL(`${folder}/none/`));
    await expect(empty.page()).rejects.toThrow('npm run build');
  });
});

describe('the policy of the console', () => {
  it('lets nothing inline and no other origin run or load', () => {
    const policy = new Map(
      CONTENT_SECURITY_POLICY.split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')] as const;
      }),
    );
    for (const name of ['default-src', 'font-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      expect([name, policy.get(name)]).toEqual([name, "'none'"]);
    }
    for (const name of ['script-src', 'style-src', 'img-src', 'connect-src', 'worker-src']) {
      expect([name, policy.get(name)]).toEqual([name, "'self'"]);
    }
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|data:|blob:|https?:|\*/);
  });
});
