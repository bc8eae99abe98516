import { readdirSync, readFileSync } from 'node:fs';
import { policyWarnings, readPolicyFile, runCases } from '@countersign/policy/policy-files';
import { parse } from 'yaml';

const FOLDER = new URL('../../../../services/policy/samples/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
const read = (name: string) => readPolicyFile(parse(readFileSync(new URL(name, FOLDER), 'utf8')));

describe('the sample policies', () => {
  it.each(FILES)('%s passes its cases, and every rule and limit denies in one of them', (name) => {
    const file = read(name);
    expect(runCases(file)).toEqual([]);
    expect(policyWarnings(file)).toEqual([]);
    const { rules, limits } = file.patch;
    const ids = [...(rules ?? []).map(({ id }) => `rules:${id}`), ...(limits ?? []).map(({ id }) => `limits:${id}`)];
    expect(ids.filter((id) => !denies(name, id))).toEqual([]);
  });

  it('have a page whose examples pass their cases, and have no findings', () => {
    const text = readFileSync(new URL('README.md', FOLDER), 'utf8');
    const examples = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => readPolicyFile(parse(yaml!)));
    expect(examples.map(({ cases }) => cases.length)).toEqual([2, 2, 3, 2]);
    expect(examples.flatMap((example) => [...runCases(example), ...policyWarnings(example)])).toEqual([]);
  });

  it('are all in the README', () => {
    const text = readFileSync(new URL('README.md', FOLDER), 'utf8');
    expect(FILES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

/** Reports whether a case fails without the rule or limit. */
function denies(name: string, id: string): boolean {
  const { patch, ...file } = read(name);
  const without = <T extends { readonly id: string }>(list: readonly T[] | null | undefined, kind: string) =>
    (list ?? []).filter((one) => `${kind}:${one.id}` !== id);
  const changed = { ...patch, rules: without(patch.rules, 'rules'), limits: without(patch.limits, 'limits') };
  return runCases({ ...file, patch: changed }).length > 0;
}
