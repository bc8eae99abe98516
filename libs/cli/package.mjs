/**
 * Writes the client commands as a package for `npm pack`, with no dependencies. It runs where nothing of this repository is:
 * `verify`, `hook`, `mcp-proxy`, `policy`, `export` and the others of `src/cli.ts`. Needs no build.
 *   node libs/cli/package.mjs FOLDER     a folder that does not exist yet
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { fromSources, ROOT } from '../../.config/from-sources.mjs';

const TARGET = resolve(process.argv[2] ?? 'countersign-cli');

/** Drivers of backends: client commands share modules with services, and open none of these. */
const DRIVERS = /^(better-sqlite3|ioredis|kafkajs|litesvm|mongodb|mongoose)$/;
/** Packages that a package loads if they are installed, and does without. */
const OPTIONAL = ['bufferutil', 'encoding', 'utf-8-validate'];

const PARSER = 'libpg-query.wasm';

const README = `# @countersign/cli

Commands of Countersign that need no service on this machine: \`countersign --help\` lists them. Needs Node 20.19 or newer.

    countersign verify report.json --key key.pem --rpc URL --authority ADDRESS

verifies a signed package with the file, the keys and the chain that you name, and nothing else. \`start\` and the commands of
operators are in the repository. THIRD-PARTY-LICENSES.txt has the licenses of what the program contains.
`;

const withoutDrivers = {
  name: 'without-drivers',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: DRIVERS }, ({ path }) => ({ path, namespace: 'driver' }));
    onLoad({ filter: /./, namespace: 'driver' }, ({ path }) => ({
      contents: `module.exports = class { constructor() { throw new Error('${path} is not part of @countersign/cli'); } };`,
    }));
  },
};

const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'libs/cli/package.json'), 'utf8'));
mkdirSync(TARGET);
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: { cli: 'libs/cli/src/cli.ts' },
  outdir: join(TARGET, 'dist'),
  bundle: true,
  splitting: true,
  metafile: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: OPTIONAL,
  plugins: [fromSources, withoutDrivers],
  // For packages in CommonJS, which require modules of Node, and look for files in their folder.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url), __dirname = import.meta.dirname;",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
for (const [file, { imports }] of Object.entries(metafile.outputs)) {
  const missing = imports.find(({ path, external }) => external && !isBuiltin(path) && !OPTIONAL.includes(path));
  if (missing !== undefined) throw new Error(`${file} needs ${missing.path}, which would not be installed`);
}

// The parser of SQL finds its machine code in its own folder.
copyFileSync(join(ROOT, 'node_modules/libpg-query/wasm', PARSER), join(TARGET, 'dist', PARSER));
mkdirSync(join(TARGET, 'bin'));
copyFileSync(join(ROOT, 'services/standalone/bin/countersign.js'), join(TARGET, 'bin/countersign.js'));
copyFileSync(join(ROOT, '.github/LICENSE'), join(TARGET, 'LICENSE'));
writeFileSync(join(TARGET, 'README.md'), README);
writeFileSync(join(TARGET, 'THIRD-PARTY-LICENSES.txt'), licenses());
const manifest = {
  name,
  version,
  description: 'Commands of Countersign: verify signed records of AI agents, check tool calls, keep policies in files.',
  type: 'module',
  license,
  engines: { node: '>=20.19' },
  bin: { countersign: './bin/countersign.js' },
};
writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

/** License texts of the packages of which some part is in the program. */
function licenses() {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(used.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean));
  return [...folders]
    .sort()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(folder) {
  const path = join(ROOT, folder);
  const about = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((one) => /^(licen[cs]e|copying)(\.|-|$)/i.test(one));
  const { author } = about;
  const by = typeof author === 'object' ? author.name : author;
  const text =
    file === undefined ? `Its package has no license text. By ${by}.\n` : readFileSync(join(path, file), 'utf8');
  return `${about.name} ${about.version}: ${about.license ?? 'see its text'}\n\n${text}`;
}
