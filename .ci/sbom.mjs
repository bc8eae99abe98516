// Writes the bill of materials of what is shipped, in CycloneDX 1.6 (ECMA-424): every package that is installed without
// development dependencies, with its version, license, the hash that npm checks, and what it depends on.
//   node .ci/sbom.mjs [FILE]       by default services/standalone/dist/sbom.cdx.json
// The same lock file gives the same bytes. Fails for a package without a hash, and for a dependency that is not there.
// `npm sbom --omit=dev` leaves out what is also a development dependency somewhere, such as express.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const file = process.argv[2] ?? 'services/standalone/dist/sbom.cdx.json';
const lock = readFileSync('package-lock.json', 'utf8');
const { packages } = JSON.parse(lock);
const NOT_SHIPPED = /^test-e2e(\/|$)|^libs\/test-kit(\/|$)/;
const IN = 'node_modules/';
const problems = [];

/** @returns {boolean} whether the package at this place of the lock file is installed where the program runs */
function isShipped([place, { dev = false, link = false }]) {
  return place !== '' && !dev && !link && !NOT_SHIPPED.test(place);
}

function nameOf(place) {
  return packages[place].name ?? place.slice(place.lastIndexOf(IN) + IN.length);
}

/** Package URL (ECMA-427). */
function purlOf(place) {
  const name = nameOf(place).replace('@', '%40');
  return `pkg:npm/${name}@${packages[place].version}`;
}

/** Where a dependency of the package at `place` is found: in its own folder, or in one above (Node.js, Loading from node_modules folders). */
function found(place, dependency) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const candidate = `${folder === '' ? '' : `${folder}/`}${IN}${dependency}`;
    const { link = false, resolved } = packages[candidate] ?? {};
    if (link) return resolved;
    if (candidate in packages) return candidate;
    if (folder === '') return null;
  }
}

/** As an identifier or expression of SPDX where it is one, else in its own words. */
function licenseOf(place, { license }) {
  if (!place.includes(IN)) return [{ license: { id: 'Apache-2.0' } }];
  const stated = license ?? statedBefore(place);
  if (/^[\w.+-]+$/.test(stated)) return [{ license: { id: stated } }];
  if (/^\(?[\w.+-]+(?: (?:OR|AND|WITH) [\w.+-]+)+\)?$/.test(stated)) return [{ expression: stated }];
  return [{ license: { name: stated } }];
}

/** `licenses`, which packages of before 2015 have, and the lock file does not. */
function statedBefore(place) {
  const { licenses = [] } = JSON.parse(readFileSync(`${place}/package.json`, 'utf8'));
  return licenses[0]?.type ?? licenses[0] ?? 'not stated by the package';
}

function component([place, details]) {
  const { version, integrity, optional = false, devOptional = false } = details;
  const [group, name = group] = nameOf(place).split('/');
  const isOwn = !place.includes(IN);
  if (!isOwn && integrity === undefined) problems.push(`${place} has no hash`);
  const [algorithm = '', content = ''] = integrity?.split('-', 2) ?? [];
  const hash = { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(content, 'base64').toString('hex') };
  return {
    type: 'library',
    'bom-ref': place,
    ...(name === group ? {} : { group }),
    ...{ name, version, scope: optional || devOptional ? 'optional' : 'required', purl: purlOf(place) },
    ...(integrity === undefined ? {} : { hashes: [hash] }),
    licenses: licenseOf(place, details),
  };
}

const shipped = Object.entries(packages).filter(isShipped);
const places = new Set(shipped.map(([place]) => place));

function dependencies([place, { dependencies: needed = {}, optionalDependencies: wanted = {} }]) {
  const dependsOn = [];
  for (const name of Object.keys({ ...needed, ...wanted })) {
    const target = found(place, name);
    if (target !== null && places.has(target)) dependsOn.push(target);
    else if (name in needed && !(name in wanted)) problems.push(`${place} needs ${name}, which is not shipped`);
  }
  return { ref: place, dependsOn: [...new Set(dependsOn)].sort() };
}

const { name, version, license } = packages[''];
const hex = createHash('sha256').update(lock).digest('hex');
const uuid = [
  hex.slice(0, 8),
  hex.slice(8, 12),
  `8${hex.slice(13, 16)}`,
  `8${hex.slice(17, 20)}`,
  hex.slice(20, 32),
].join('-');
const root = {
  type: 'application',
  'bom-ref': name,
  name,
  version,
  licenses: [{ license: { id: license ?? 'Apache-2.0' } }],
};
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  // Follows from the lock file (RFC 9562 section 5.8).
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  metadata: { lifecycles: [{ phase: 'build' }], component: root },
  components: shipped.map(component),
  dependencies: [
    {
      ref: name,
      dependsOn: shipped
        .map(([place]) => place)
        .filter((place) => place.startsWith('services/') && !place.includes(IN)),
    },
    ...shipped.map(dependencies),
  ],
};
for (const problem of problems) console.error(`sbom: ${problem}`);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bom, null, 1)}\n`);
console.log(`sbom: ${bom.components.length} components in ${file}`);
process.exitCode = problems.length === 0 ? 0 : 1;
