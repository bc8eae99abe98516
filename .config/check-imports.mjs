/**
 * Who may import whom: runs dependency-cruiser over every source file of the house.
 * First the rules themselves are tried on a throw-away tree of imports that they must report; then the house is
 * read, with a floor on what was seen, because a parser that sees nothing finds nothing wrong.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import * as fixtures from './import-fixtures.mjs';

const RULES = createRequire(import.meta.url)('./dependency-cruiser.cjs');
const HOUSE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const MEANINGLESS_FOLDER = /(^|\/)(common|shared|utils?|helpers?|core)(\/|$)/;
const LEAST_SEEN = 0.9;

const problems = [];

/** Paths below `root` of all directories and files that are ours, with `/` between names. */
function walk(root, below) {
  const here = readdirSync(join(root, below), { withFileTypes: true }).filter(
    (entry) => !['node_modules', 'dist', 'coverage'].includes(entry.name),
  );
  return here.flatMap((entry) => {
    const path = `${below}/${entry.name}`;
    return entry.isDirectory() ? [{ path, isFolder: true }, ...walk(root, path)] : [{ path, isFolder: false }];
  });
}

/** The workspaces below `root`: where they lie, what they are called, and what they say they need. */
function workspaces(root) {
  const folders = ['libs', 'services'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return [...folders, 'test-e2e'].flatMap((folder) => {
    const read = (file) => JSON.parse(readFileSync(join(root, folder, file), 'utf8'));
    try {
      const manifest = read('package.json');
      const references = (read('tsconfig.json').references ?? []).map((reference) => join(folder, reference.path));
      return [
        {
          folder,
          name: manifest.name,
          dependencies: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
          references,
        },
      ];
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw new Error(`${folder}: ${error.message}`, { cause: error });
    }
  });
}

async function readImports(root, houses) {
  const sources = houses
    .flatMap(({ folder }) => [`${folder}/src`, `${folder}/web/src`])
    .filter((folder) => walkable(root, folder));
  // A package's name leads to its source, so that cycles across packages show and nothing need be built.
  const alias = Object.fromEntries(houses.map(({ folder, name }) => [`${name}$`, join(root, folder, 'src/index.ts')]));
  const { output } = await cruise(
    sources,
    { ...RULES.options, baseDir: root, ruleSet: { forbidden: RULES.forbidden }, validate: true },
    { alias, exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'], bustTheCache: true },
  );
  return output;
}

function walkable(root, folder) {
  try {
    return readdirSync(join(root, folder)).length > 0;
  } catch {
    return false;
  }
}

/** Imports of a package of ours that the importer's package.json or tsconfig.json does not name. */
function undeclaredImports(modules, houses) {
  const at = (path) => houses.find(({ folder }) => path.startsWith(`${folder}/`));
  const found = modules.flatMap((module) =>
    module.dependencies.flatMap((dependency) => {
      const from = at(module.source);
      const to = at(dependency.resolved);
      if (from === undefined || to === undefined || from === to) return [];
      const missing = [
        from.dependencies.includes(to.name) ? [] : [`"${to.name}" under dependencies of ${from.folder}/package.json`],
        from.references.includes(to.folder) ? [] : [`${to.folder} under references of ${from.folder}/tsconfig.json`],
      ].flat();
      return missing.map((what) => `${module.source} imports ${to.name}: name ${what}.`);
    }),
  );
  return [...new Set(found)];
}

async function tryRules() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'import-rules-')));
  const put = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  try {
    for (const name of [...fixtures.packages, ...fixtures.undeclared]) {
      put(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
      put(`node_modules/${name}/index.js`, 'module.exports = {};');
    }
    const files = [...fixtures.forbidden.map(([, path, text]) => [path, text]), ...fixtures.allowed];
    const folders = new Set(files.map(([path]) => /^((libs|services)\/[^/]+|test-e2e)/.exec(path)[0]));
    const dependencies = Object.fromEntries(fixtures.packages.map((name) => [name, '1.0.0']));
    for (const folder of [...folders, 'services/standalone']) {
      const name = `@countersign/${folder.split('/').at(-1)}`;
      put(`${folder}/package.json`, JSON.stringify({ name, dependencies }));
      put(`${folder}/tsconfig.json`, '{}');
      put(`${folder}/src/index.ts`, 'export function a(): void {}\n');
    }
    put('libs/evidence/src/merkle.ts', 'export function a(): void {}\n');
    for (const [path, text] of files) put(path, `${text}\n`);

    const houses = workspaces(root);
    const output = await readImports(root, houses);
    // A cycle is reported once, at one of its modules.
    const reported = new Set(
      output.summary.violations.flatMap(({ rule, from, cycle = [] }) =>
        [from, ...cycle.map(({ name }) => name)].map((path) => `${rule.name} ${path}`),
      ),
    );
    for (const [rule, path] of fixtures.forbidden) {
      if (!reported.has(`${rule} ${path}`)) problems.push(`Rule ${rule} does not report its fixture ${path}.`);
    }
    for (const { rule, from, to } of output.summary.violations) {
      if (fixtures.allowed.some(([path]) => path === from)) {
        problems.push(`Rule ${rule.name} reports ${from} -> ${to}, which is allowed.`);
      }
    }
    const tried = new Set(fixtures.forbidden.map(([rule]) => rule));
    for (const { name } of RULES.forbidden) {
      if (!tried.has(name)) problems.push(`Rule ${name} has no fixture: add one to .config/import-fixtures.mjs.`);
    }
    if (!undeclaredImports(output.modules, houses).some((line) => line.startsWith('services/gateway/src/decide.ts'))) {
      problems.push('An import of a package that package.json and tsconfig.json do not name is not reported.');
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  for (const path of fixtures.folders.forbidden) {
    if (!MEANINGLESS_FOLDER.test(path)) problems.push(`The rule of folder names does not report ${path}.`);
  }
  for (const path of fixtures.folders.allowed) {
    if (MEANINGLESS_FOLDER.test(path)) problems.push(`The rule of folder names reports ${path}, which is allowed.`);
  }
}

async function readHouse() {
  const houses = workspaces(HOUSE);
  const entries = ['libs', 'services', 'test-e2e'].flatMap((parent) => walk(HOUSE, parent));
  for (const { path, isFolder } of entries) {
    if (isFolder && MEANINGLESS_FOLDER.test(path)) {
      problems.push(`${path}: a folder is named after what it does, not after being of use to others.`);
    }
  }

  const sources = entries
    .map(({ path }) => path)
    .filter((path) => /^((libs|services)\/[^/]+(\/web)?|test-e2e)\/src\/.*\.tsx?$/.test(path));
  // One specifier a line, as Prettier leaves it: a floor, not a count.
  const onDisk = sources.flatMap(
    (path) => readFileSync(join(HOUSE, path), 'utf8').match(/^(import|export|\}) .*?from '[^']+';$/gm) ?? [],
  ).length;

  const output = await readImports(HOUSE, houses);
  const seen = output.modules.filter(({ source }) => sources.includes(source));
  const imports = seen.reduce((sum, { dependencies }) => sum + dependencies.length, 0);
  if (seen.length === 0 || seen.length < sources.length * LEAST_SEEN) {
    problems.push(
      `Only ${seen.length} of ${sources.length} source files were read: the parser does not know this TypeScript.`,
    );
  }
  if (imports < onDisk * LEAST_SEEN) {
    problems.push(`Only ${imports} of at least ${onDisk} imports were read: the parser does not know this TypeScript.`);
  }

  const reasons = new Map(RULES.forbidden.map(({ name, comment }) => [name, comment]));
  for (const { rule, from, to, cycle } of output.summary.violations) {
    const way = cycle === undefined ? to : cycle.map(({ name }) => name).join(' -> ');
    problems.push(`${from} -> ${way}\n    ${rule.name}: ${reasons.get(rule.name)}`);
  }
  problems.push(...undeclaredImports(output.modules, houses));
  return { files: seen.length, imports };
}

await tryRules();
const { files, imports } = await readHouse();
for (const problem of problems) console.error(`  ${problem}`);
console.log(
  `${files} files, ${imports} imports, ${RULES.forbidden.length} rules tried on ${fixtures.forbidden.length} forbidden imports: ` +
    (problems.length === 0 ? 'clean' : `${problems.length} problems`),
);
process.exitCode = problems.length === 0 ? 0 : 1;
