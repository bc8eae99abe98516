import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServerName } from '../installed.js';
import { VARIABLES } from '../servers.js';

/** Requirements of a compiled test file. */
export interface Needs {
  /** The shared servers whose variables it reads, itself or through its relative imports. */
  readonly shared: ReadonlySet<ServerName>;
  /** It starts servers of its own, for fault injection. */
  readonly own: boolean;
}

/** Modules here name the variables in order to set them. */
const HERE = '/dist/infra/';
const STARTS_SERVERS = /^(#infra|\.{1,2})\/(.*\/)?(kafka|kafka-cluster|mongo|redis|toxiproxy)\.js$/;

/** Every compiled test file below the root. */
export function testFiles(root: string): readonly string[] {
  return ['libs', 'services', 'test-e2e'].flatMap((parent) => {
    const top = join(root, parent);
    const rooms = parent === 'test-e2e' ? [top] : folders(top);
    return rooms.flatMap((room) => filesBelow(join(room, 'dist')).filter((path) => path.endsWith('.test.js')));
  });
}

export function needsOf(file: string, read: (path: string) => string | null = readOrNull): Needs {
  const seen = new Set<string>();
  const shared = new Set<ServerName>();
  let own = false;
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = read(path);
    if (text === null) return;
    for (const [name, variable] of Object.entries(VARIABLES) as [ServerName, string][]) {
      if (!path.includes(HERE) && text.includes(variable)) shared.add(name);
    }
    for (const [, imported = ''] of text.matchAll(/(?:from|import)[\s(]*['"]([^'"]+)['"]/g)) {
      if (STARTS_SERVERS.test(imported) && (path === file || !path.includes(HERE))) own = true;
      if (imported.startsWith('.')) visit(resolve(dirname(path), imported));
    }
  };
  visit(file);
  return { shared, own };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function folders(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(path, entry.name)] : [],
  );
}

function filesBelow(path: string): readonly string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  } catch {
    return [];
  }
}
