import { gunzipSync } from 'node:zlib';
import { DocsFiles } from './docs-files.js';
import { DOCS_POLICY } from './docs-routes.js';

const files = new DocsFiles();
const textOf = async (name: string): Promise<string> => Buffer.from((await files.file(name))!.content).toString('utf8');

describe('the page of the API description', () => {
  it('names each of its files with the hash of what is in it, and no file is left over', async () => {
    const html = Buffer.from((await files.page()).content).toString('utf8');
    const named = [...html.matchAll(/(?:href|src)="docs\/([^"]+)"/g)].map(([, name]) => name!);
    expect(named.map((name) => name.replace(/\.[0-9a-f]{16}\./, '.')).sort()).toEqual([...files.names].sort());
    for (const name of named) {
      expect(name).toMatch(/\.[0-9a-f]{16}\.(js|css|svg)$/);
      const file = (await files.file(name))!;
      expect(file.hashedName).toBe(name);
      expect(Buffer.compare(gunzipSync(await file.zipped()), file.content)).toBe(0);
    }
    for (const name of ['', 'index.html', 'page.ts', '../index.html', 'page.0000000000000000.js']) {
      expect(await files.file(name)).toBeNull();
    }
  });

  it('has no script, style or handler in its markup, and names no other origin', async () => {
    const html = Buffer.from((await files.page()).content).toString('utf8');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/i);
    expect(html).not.toMatch(/(?:href|src|action)="(?:https?:)?\/\//);
    expect(await textOf('page.css')).not.toMatch(/url\(|@import/);
    expect(await textOf('swagger-ui.css')).not.toMatch(/url\((?!["']?data:)|@import/);
    expect(await textOf('page.js')).not.toMatch(/https?:\/\/|innerHTML|eval\(/);
  });

  it('is served under a policy that allows no other script and no request to another address', () => {
    expect(DOCS_POLICY).toMatch(/^default-src 'none'; /);
    expect(DOCS_POLICY).not.toMatch(/unsafe|https?:|blob:|\s\*/);
    expect(DOCS_POLICY).toContain("script-src 'self';");
    expect(DOCS_POLICY).toContain("connect-src 'self';");
  });
});
