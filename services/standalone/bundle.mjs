/**
 * Writes `dist/program/`: the program as few files, because Node takes a millisecond for each module that it loads. One entry
 * for `countersign`, one for each thread and child process that it starts, and the chunks that they share. Does nothing if the
 * files were made of the same modules.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fromSources, ROOT, RULES } from '../../.config/from-sources.mjs';

const TARGET = fileURLToPath(new URL('dist/program/', import.meta.url));
const RECORD = join(TARGET, 'bundle.json');

/** Modules that are the program of a process or thread, by the name of their file in `dist/program/`. */
const ENTRIES = {
  countersign: 'services/standalone/src/cli.ts',
  'services-worker': 'services/standalone/src/threads/services-worker.ts',
  'writer-thread': 'libs/event-log/src/sqlite/writer-thread.ts',
  'checkpoint-thread': 'libs/event-log/src/sqlite/checkpoint-thread.ts',
  'localnet-worker': 'libs/chain/src/localnet/worker.ts',
  'rendering-child': 'services/reporting/src/render-pdf/rendering-child.ts',
  'recomputing-child': 'services/reporting/src/recompute/recomputing-child.ts',
  'verifying-child': 'services/verification/src/verify-in-child/verifying-child.ts',
};
const entryOf = new Map(Object.entries(ENTRIES).map(([name, path]) => [join(ROOT, path), name]));

/** Packages that load native binaries, which they find next to their own files. */
const NATIVE = ['better-sqlite3', '@node-rs/argon2', 'bufferutil', 'utf-8-validate', 'litesvm-*', './litesvm.*'];
/** Packages that Nest imports where they are used, and that are not installed. */
const ABSENT = [
  '@nestjs/websockets/*',
  'class-transformer',
  'class-validator',
  'mqtt',
  '@nats-io/transport-node',
  'amqp-connection-manager',
];

const OWN_ADDRESS =
  /new URL\('(?<started>\.\/[^']+\.js)', import\.meta\.url\)|createRequire\(import\.meta\.url\)\('(?<required>[^']+)'\)|import\.meta\.url/g;

/**
 * The source of a module for a place in `dist/program/`: `import.meta.url` is still the address of the module's own file, from
 * which a package finds its data. In this repository, the address of an entry is that of the entry's bundle, and what is
 * required by name is part of the bundle.
 */
function relocated(source, file) {
  const isOurs = !file.includes('/node_modules/');
  return source.replaceAll(OWN_ADDRESS, (...found) => {
    const { started, required } = isOurs ? found.at(-1) : {};
    if (required !== undefined) return `require('${required}')`;
    if (started === undefined) {
      const own = `new URL(${JSON.stringify(relative(TARGET, file))}, import.meta.url).href`;
      return found[0].replace('import.meta.url', own);
    }
    const entry = entryOf.get(resolve(dirname(file), started.replace(/\.js$/, '.ts')));
    if (entry === undefined) throw new Error(`${file} starts ${started}, which is not in ENTRIES of bundle.mjs`);
    return `new URL('./${entry}.js', import.meta.url)`;
  });
}

/** The source of a module in CommonJS, with its own address in `__dirname` and `__filename`. */
function locating(source, file) {
  const [strict = ''] = /^\s*(['"])use strict\1;?/.exec(source) ?? [];
  const own = `require('node:path').join(programFolder, ${JSON.stringify(relative(TARGET, file))})`;
  return `${strict};var __filename = ${own}, __dirname = require('node:path').dirname(__filename);${source.slice(strict.length)}`;
}

const relocate = {
  name: 'relocate',
  setup({ onLoad, onResolve }) {
    // As an ES module it is evaluated in the order of imports, before the classes that are decorated: esbuild evaluates an
    // imported module in CommonJS only after the imported ES modules.
    onLoad({ filter: /\/reflect-metadata\/Reflect\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\nexport {};`,
      loader: 'js',
    }));
    onLoad({ filter: /\.(?:[cm]?js|ts)$/, namespace: 'file' }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const loader = path.endsWith('.ts') ? 'ts' : 'js';
      if (source.includes('import.meta.url')) return { contents: relocated(source, path), loader };
      return /\b__(dirname|filename)\b/.test(source) ? { contents: locating(source, path), loader } : undefined;
    });
    // Of this library for browsers and servers, 5 MB, the virtual machine of the network needs a few codecs: as an ES module
    // that exports only what is used, the rest is left out.
    onResolve({ filter: /^@solana\/kit$/ }, ({ importer, kind }) =>
      kind === 'require-call' && importer.includes('/node_modules/litesvm/')
        ? { path: importer, namespace: 'used-of-solana-kit' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'used-of-solana-kit' }, ({ path }) => {
      const names = new Set(Array.from(readFileSync(path, 'utf8').matchAll(/\bkit_1\.(\w+)/g), ([, name]) => name));
      return { contents: `export { ${[...names].join(', ')} } from '@solana/kit';`, resolveDir: dirname(path) };
    });
  },
};

/**
 * Hash of the installed packages, of what else decides where they are and how they are read, and of these modules.
 * @returns `null` if it cannot be computed
 */
function fingerprint(modules) {
  const hash = createHash('sha256');
  try {
    for (const path of ['node_modules/.package-lock.json', 'services/standalone/bundle.mjs', ...RULES, ...modules]) {
      const content = readFileSync(join(ROOT, path));
      hash.update(`${path} ${content.length}\n`).update(content);
    }
  } catch {
    return null;
  }
  return hash.digest('hex');
}

function recordOfLastBundle() {
  try {
    return JSON.parse(readFileSync(RECORD, 'utf8'));
  } catch {
    return { modules: [], fingerprint: null, files: [] };
  }
}

const last = recordOfLastBundle();
if (last.fingerprint === null || last.fingerprint !== fingerprint(last.modules)) await bundle();

async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: TARGET,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...NATIVE, ...ABSENT],
    plugins: [fromSources, relocate],
    // For packages in CommonJS: `require` of modules of Node and of packages that are not part of the bundle, and their folder.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url), programFolder = import.meta.dirname;",
    },
    legalComments: 'none',
    logLevel: 'warning',
  });
  mkdirSync(TARGET, { recursive: true });
  for (const { path, contents } of outputFiles) {
    // Replaced atomically: a start may be reading it.
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
  // Files of the bundle before this one remain: a running instance loads some of its chunks on demand.
  const files = outputFiles.map(({ path }) => relative(TARGET, path));
  const kept = new Set([...files, ...last.files, relative(TARGET, RECORD)]);
  for (const name of readdirSync(TARGET)) if (!kept.has(name)) rmSync(join(TARGET, name), { force: true });
  const modules = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'));
  writeFileSync(RECORD, JSON.stringify({ modules, fingerprint: fingerprint(modules), files }));
}
