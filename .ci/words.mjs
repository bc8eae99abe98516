/**
 * Words that readers have to translate: each has a standard term in the glossary of .github/CONTRIBUTING.md.
 *   node .ci/words.mjs [PATH]     prints what is left below a path, packages on the list NOT_YET as well
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages and folders whose prose does not follow the glossary yet. A path leaves this list and never comes back. */
const NOT_YET = [];

/** [words, what to write instead]. Identifiers and file names are read as words: `untoldRows`, `check-desk`. */
const WORDS = [
  [/\b(un)?told\b/i, 'published, unpublished, reported'],
  [/\btells\b/i, 'reports, publishes, says, shows'],
  [/\banew\b/i, 'again; rebuilt'],
  [/\bwhoever\b/i, 'the caller, the client, any instance'],
  [/\b(no|some)body\b/i, 'the part that does it, or the passive'],
  [/\bstretch(es)?\b/i, 'range, offset range'],
  [/\bdesks?\b/i, 'handler'],
  [/\bneighbou?rs?\b/i, 'internal service, peer'],
  [/\bparked\b/i, 'dead-lettered'],
  [/\bturn(s|ed)? away\b/i, 'load-shed, shed'],
  [/\bfate (is |was )?(unknown|open)\b|\bunknown fate\b/i, 'in doubt'],
  [/\b(stands?|stood|standing) still\b/i, 'is blocked, does not advance'],
];

/** [phrase, why it stays, files that it concerns; all without one]: read by its exact letters, capitals included. */
const EXCEPTIONS = [
  [/untold|told(?='|Sequence)|stretches/, 'stored names of fields and tables', /^services\/audit-log\/src\/store\//],
  ['Answer of unknown fate', 'the text of an exported event'],
  ['countersign_checks_turned_away_total', 'the name of a metric'],
  ['CountersignNobodyAnchors', 'the name of an alert'],
  ['whoever manages this agent', 'an error text of answers'],
  ['nobody decided', 'a text of the clients for models'],
  ['tell whoever asked', 'a text of the clients for models'],
  ['parkedAt', 'a member of the records of dead-letters'],
  ['Order desk', 'the name of an agent in examples'],
  ['order desk', 'the name of an agent in examples'],
  ['Booking desk', 'the name of an agent in published vectors'],
  ['identity_told', 'the name of a collection of an older layout'],
  ['whoever operates this service', 'the text of an answer'],
  ["utf8('neighbour')", 'the content of golden packages'],
  ['no-neighbours', 'the name of a published vector'],
  ['neighbour-count', 'the name of a published vector'],
  ['absence-neighbours-apart', 'a published code'],
  ["the agent's neighbours:", 'a sentence of verification results, as both verifiers say it'],
  ['stand between these neighbours.', 'a sentence of verification results, as both verifiers say it'],
  ['stand between the neighbours.', 'a sentence of verification results, as both verifiers say it'],
  ['The leaf of the neighbour', 'a sentence of verification results, as both verifiers say it'],
  ["is somebody's own, and whoever runs it can write it anew", 'a sentence of verification results'],
  ['is somebody’s own, and whoever runs it can write it anew', 'a sentence of verification results'],
  ['ask whoever manages this agent', 'the reason of a denial, in answers and events'],
];

/** Data that is published or that others wrote, the sources of published vectors, and what names the words. */
const UNREAD =
  /^(libs\/(evidence|policy-engine|rules)\/vectors\/|libs\/evidence\/src\/vectors\/|libs\/event-formats\/ocsf-schema\/|services\/policy\/safety-packages\/.*\.json$|services\/standalone\/sample\/|\.ci\/words\.mjs$|\.github\/CONTRIBUTING\.md$)|(^|\/)package-lock\.json$|\.(png|ico|woff2?|pdf|so|sqlite|db|gz)$/;

/** A sentence that begins with "What" or "Whether" is a question, or names nothing. */
const DOCSTRING = /(?:\/\*\*|""")[\s*]*((?:What|Whether)\b[^]*?)([.?](?=\s|$)|\*\/|""")/g;

const asWords = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
const without = (text, path) =>
  EXCEPTIONS.reduce((left, [phrase, , files]) => {
    if (files !== undefined && !files.test(path)) return left;
    return phrase instanceof RegExp ? left.replace(new RegExp(phrase, 'g'), '') : left.replaceAll(phrase, '');
  }, text);

function* wordsOf(text, path) {
  for (const [index, line] of [path, ...text.split('\n')].entries()) {
    const words = asWords(without(line, path));
    for (const [pattern, instead] of WORDS) {
      const found = pattern.exec(words);
      if (found !== null) yield `${path}:${index}: "${found[0]}": write ${instead}.`;
    }
  }
  for (const { index, 1: sentence, 2: end } of text.matchAll(DOCSTRING)) {
    if (end === '?') continue;
    const line = text.slice(0, index).split('\n').length;
    yield `${path}:${line}: "${sentence.slice(0, 40).replace(/\s+/g, ' ').trim()}…": begin with the noun, "What …" and "Whether …" ask.`;
  }
}

/** Findings of the files of `tree` that are not on the list, and entries of the list that have none left. */
export function problemsOfWords(tree, read) {
  return tree
    .filter((path) => !NOT_YET.some((begin) => path.startsWith(begin)))
    .flatMap((path) => (UNREAD.test(path) ? [] : [...wordsOf(read(path), path)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const house = resolve(dirname(fileURLToPath(import.meta.url)), '..');
  const list = execFileSync('git', ['ls-files', '-z', '--', process.argv[2] ?? '.'], { cwd: house, encoding: 'utf8' });
  const found = list
    .split('\0')
    .filter((path) => path !== '' && !UNREAD.test(path))
    .flatMap((path) => [...wordsOf(readFileSync(join(house, path), 'utf8'), path)]);
  for (const one of found) console.log(one);
  console.log(`${found.length} left`);
}
