import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpAnswer } from '@countersign/http-edge';
import { CONTENT_SECURITY_POLICY, PageController, WORKER_POLICY } from '../http/page-controller.js';
import { PageFiles } from './page-files.js';

const files = new PageFiles();
const BUNDLES = [
  ['evidence', 'evidence.browser.js'],
  ['rules', 'sql-parser.browser.js'],
  ['redecide', 'redecide.browser.js'],
] as const;
/** Libraries in one file each: they import nothing. */
const LIBRARIES = ['evidence.js', 'redecide.js', 'sql-parser.js'];
const textOf = async (name: string): Promise<string> => Buffer.from((await files.get(name))!.content).toString('utf8');

/** `npm run build` makes the bundles; a compiler alone does not. */
beforeAll(() => {
  for (const [name, bundle] of BUNDLES) {
    const library = dirname(dirname(createRequire(import.meta.url).resolve(`@countersign/${name}`)));
    if (!existsSync(join(library, 'dist', bundle))) {
      execFileSync(process.execPath, [join(library, 'browser', 'bundle.mjs')]);
    }
  }
  execFileSync(process.execPath, [fileURLToPath(new URL('../../page/bundle.mjs', import.meta.url))]);
});

describe('the verification page', () => {
  it('is whole: what it and its scripts name is there, and no file is left over', async () => {
    const named = new Set<string>(['worker.js', 'libpg-query.wasm']);
    expect(await textOf('sql-parser.js')).toContain('"libpg-query.wasm"');
    for (const [, name] of (await textOf('')).matchAll(/(?:href|src)="verify\/([^"]+)"/g)) named.add(name!);
    for (const name of files.names.filter((one) => one.endsWith('.js') && !LIBRARIES.includes(one))) {
      for (const [, other] of (await textOf(name)).matchAll(/(?:from |import\()["']\.\/([^"']+)["']/g))
        named.add(other!);
    }
    expect([...named].sort()).toEqual([...files.names].sort());
    for (const name of named) expect((await files.get(name))?.content.length).toBeGreaterThan(50);
    for (const name of ['index.html', '../index.html', 'page.ts', 'judge.test.js', '..']) {
      expect(await files.get(name)).toBeNull();
    }
  });

  it('asks no other origin for anything, and has no script, style or handler in its markup', async () => {
    const html = await textOf('');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/i);
    expect(html).not.toMatch(/(?:href|src|action)="(?:https?:)?\/\//);
    expect(await textOf('style.css')).not.toMatch(/url\(|@import/);
    for (const name of files.names.filter((one) => one.endsWith('.js'))) {
      expect(await textOf(name)).not.toMatch(
        /\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|(?<![.}])\beval\(|\bFunction\(/,
      );
    }
  });

  it('can be read and worked without sight or mouse: each field has its label', async () => {
    const html = await textOf('');
    expect(html).toMatch(/<html lang="en">/);
    const ids = [...html.matchAll(/<(?:input|textarea)[^>]*\sid="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.length).toBeGreaterThan(4);
    for (const id of ids) expect(html).toContain(`<label for="${id}">`);
  });

  it('is served under a policy that lets nothing else run', async () => {
    const controller = new PageController();
    const ask = async (name: string | null, ifNoneMatch?: string): Promise<HttpAnswer> => {
      const input = { params: { file: name ?? '' }, headers: { 'if-none-match': ifNoneMatch } };
      return name === null ? controller.page(input as never) : controller.file(input as never);
    };
    for (const name of [null, ...files.names]) {
      const { status, headers } = await ask(name);
      const policy = name === 'worker.js' ? WORKER_POLICY : CONTENT_SECURITY_POLICY;
      expect([status, headers['content-security-policy']]).toEqual([200, policy]);
      expect((await ask(name, headers['etag'])).status).toBe(304);
    }
    await expect(ask('nothing.js')).rejects.toMatchObject({ status: 404 });
    const policy = new Map(
      CONTENT_SECURITY_POLICY.split('; ').map((directive): [string, string] => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(policy.get('default-src')).toBe("'none'");
    for (const name of ['script-src', 'style-src', 'worker-src', 'img-src']) expect(policy.get(name)).toBe("'self'");
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) expect(policy.get(name)).toBe("'none'");
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|data:|blob:|\s\*/);
    const more = WORKER_POLICY.replace(" 'wasm-unsafe-eval'", '');
    expect(more).toBe(CONTENT_SECURITY_POLICY);
  });
});
