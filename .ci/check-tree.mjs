/**
 * The tree keeps its order: places of files, links between documents, words of the glossary, text that no file may hold,
 * and that each adapter runs its port's suite.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsOfWords } from './words.mjs';

const HOUSE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const TOP_LEVEL = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'README.md',
  'docker-compose.yml',
  'services',
  'libs',
  'deploy',
  'test-e2e',
];

/** Folders (or files) of each port's adapters, as architecture.md names them. */
const PORTS = {
  'libs/event-log/src': ['sqlite', 'kafka'],
  'libs/counters/src': ['in-process', 'redis'],
  'libs/chain/src': ['solana', 'localnet'],
  'libs/document-store/src': ['sqlite', 'mongo'],
};
const STORES = ['sqlite', 'mongo'];

/** Text that no file may hold: [pattern, reason]. */
const FORBIDDEN_TEXT = [
  [/(?<![\w.:/@-])\/(root|work|Users|home\/(?!node\b)\w+)\//, 'a path of one machine: make it relative'],
  [/"resolved": "https?:|\bregistry\.npmjs\.org\b|^\s*registry\s*=/m, 'the host of a registry: leave it to the user'],
  [
    new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3)].join('|')})\\b`),
    'a note to oneself: do it, or say in words what is missing',
  ],
];
const UNREAD =
  /^(libs\/(evidence|policy-engine|rules)\/vectors\/|\.ci\/check-tree\.mjs$)|\.(png|ico|woff2?|pdf|so|sqlite|db|gz)$/;

const problems = [];

function files() {
  try {
    const list = execFileSync('git', ['ls-files', '-z'], { cwd: HOUSE, encoding: 'utf8', maxBuffer: 1 << 26 });
    return list.split('\0').filter((path) => path !== '' && existsSync(join(HOUSE, path)));
  } catch {
    return walk('.');
  }
}

/** Without git (an unpacked archive): what is on disk but what a build or a start leaves there. */
function walk(below) {
  return readdirSync(join(HOUSE, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '.' ? entry.name : `${below}/${entry.name}`;
    if (['node_modules', 'dist', 'coverage', '.git', '.infra'].includes(entry.name) || path === 'data') return [];
    return entry.isDirectory() ? walk(path) : [path];
  });
}

const tree = files();
const sources = tree.filter((path) => /^((libs|services)\/[^/]+(\/web)?|test-e2e)\/src\/.*\.tsx?$/.test(path));
const read = (path) => readFileSync(join(HOUSE, path), 'utf8');

function checkPlaces() {
  for (const name of new Set(tree.map((path) => path.split('/')[0]))) {
    if (!name.startsWith('.') && !TOP_LEVEL.includes(name)) {
      problems.push(`${name}: the top level holds ${TOP_LEVEL.join(', ')} and dotfiles only.`);
    }
  }
  for (const path of sources) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*\.tsx?$/.test(basename(path)))
      problems.push(`${path}: name files in kebab-case.`);
  }
  for (const parent of ['libs', 'services']) {
    const rooms = new Set(tree.filter((path) => path.startsWith(`${parent}/`)).map((path) => path.split('/')[1]));
    if (rooms.size === 0) problems.push(`${parent}: nothing was read.`);
    for (const room of rooms) {
      const readme = `${parent}/${room}/README.md`;
      if (!tree.includes(readme)) {
        problems.push(
          `${readme} is missing: its job, what it reads and writes, what happens when a dependency is down.`,
        );
      }
    }
  }
}

function checkText() {
  for (const path of tree) {
    if (UNREAD.test(path)) continue;
    const text = read(path);
    for (const [pattern, why] of FORBIDDEN_TEXT) {
      const found = pattern.exec(text);
      if (found === null) continue;
      const line = text.slice(0, found.index).split('\n').length;
      problems.push(`${path}:${line}: "${found[0].trim()}" is ${why}.`);
    }
  }
}

/** The name of a heading in a link, as GitHub makes it. */
const slug = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const withoutCode = (text) => text.replace(/^(```|~~~)[^]*?^\1/gm, (block) => block.replace(/[^\n]/g, ''));

function headingsOf(path) {
  return [...withoutCode(read(path)).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => slug(heading));
}

/** Relative links and their headings, and paths of documents that any text names from the root. */
function checkLinks() {
  const known = new Set(tree);
  for (const path of tree) for (let at = dirname(path); at !== '.'; at = dirname(at)) known.add(at);
  let links = 0;
  for (const path of tree) {
    if (UNREAD.test(path)) continue;
    const text = read(path);
    for (const [named] of text.matchAll(/(?<![\w./-])(?:libs|services|deploy|test-e2e|\.github)\/[\w./-]+\.md\b/g)) {
      if (!known.has(named)) problems.push(`${path}: ${named} is not there.`);
    }
    if (!path.endsWith('.md')) continue;
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      links++;
      const [file, heading] = target.split('#');
      const to = file === '' ? path : join(dirname(path), file).replace(/\/$/, '');
      if (to !== '.' && !known.has(to)) problems.push(`${path}: the link ${target} leads nowhere.`);
      else if (heading !== undefined && !headingsOf(to).includes(heading)) {
        problems.push(`${path}: the link ${target} names no heading of ${to}.`);
      }
    }
  }
  if (links === 0) problems.push('no link was read.');
}

/** A test runs a suite when it imports one; it runs it for an adapter that it imports or lies beside. */
function runsSuiteFor(folder, adapter) {
  return sources
    .filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.test.ts'))
    .some((path) => {
      const imports = [...read(path).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name);
      const isBeside = path.startsWith(`${folder}/${adapter}/`);
      const named = new RegExp(`(^|/)${adapter}(/|\\.js$|-)`);
      return (
        imports.some((name) => /suite|contract/.test(name)) && (isBeside || imports.some((name) => named.test(name)))
      );
    });
}

function importsSuite(path) {
  return sources.includes(path) && /from '[^']*(?:suite|contract)[^']*'/.test(read(path));
}

function checkSuites() {
  const stores = [...new Set(sources.map(dirname))].filter((path) => /^services\/[^/]+\/src\/store$/.test(path));
  const ports = [...Object.entries(PORTS), ...stores.map((folder) => [folder, STORES])];
  for (const [folder, names] of ports) {
    // A store of documents has the adapters of libs/document-store, and runs its suite on each.
    if (sources.includes(`${folder}/documents.ts`)) {
      for (const name of names.filter((one) => !importsSuite(`${folder}/${one}.int.test.ts`))) {
        problems.push(`${folder}/${name}.int.test.ts: it does not run the contract suite of the store.`);
      }
      continue;
    }
    const adapters = names.filter((name) =>
      sources.some((path) => path === `${folder}/${name}.ts` || path.startsWith(`${folder}/${name}/`)),
    );
    if (adapters.length === 0) problems.push(`${folder}: none of its adapters ${names.join(', ')} is there.`);
    for (const adapter of adapters) {
      if (!runsSuiteFor(folder, adapter)) {
        problems.push(
          `${folder}/${adapter}: no test beside it runs the port's contract suite (a module named …contract… or …suite…).`,
        );
      }
    }
  }
}

checkPlaces();
checkText();
checkLinks();
checkSuites();
problems.push(...problemsOfWords(tree, read));
for (const problem of problems) console.error(`  ${problem}`);
console.log(`${tree.length} files: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}`);
process.exitCode = problems.length === 0 ? 0 : 1;
