import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findingsText } from './describe-findings.js';
import { lintFiles } from './lint-files.js';
import { readTools } from './read-tools.js';

const SAMPLES = fileURLToPath(new URL('../../../../services/policy/samples', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../../../services/policy/safety-packages', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const POLICY = file(
  'policy.yaml',
  `profile:
  allowed_apis: [/srv]
  rules:
    - id: large
      tools: [refund]
      args: { amuont: { max: 100 } }
      effect: deny_unless
    - id: small
      tools: [refund]
      args: { amuont: { max: 500 } }
      effect: deny_unless
`,
);

describe('policy lint', () => {
  it('finds nothing in the samples and the safety packages', async () => {
    const linted = await lintFiles([SAMPLES, PACKAGES], null);
    expect(linted.length).toBeGreaterThan(15);
    expect(linted.flatMap(({ findings }) => findings.map(({ text }) => text))).toEqual([]);
  });

  it('names line and column of each finding, and the expected cost', async () => {
    const [linted] = await lintFiles([POLICY], null);
    expect(linted!.findings.map(({ place, kind, line, column }) => [place, kind, line, column])).toEqual([
      ['allowed_apis[0]', 'no_effect', 2, 18],
      ['rules:small', 'hidden', 8, 7],
    ]);
    expect(linted!.costMicros).toBeGreaterThan(0);
    expect(findingsText([linted!]).split('\n')).toEqual([
      `${POLICY}:2:18: no_effect: ${linted!.findings[0]!.text}`,
      expect.stringMatching(/policy\.yaml:8:7: hidden: rules\[1\] "small": has no effect/),
      expect.stringMatching(/at most \d+ µs for a check$/),
      '2 findings in 1 file',
      '',
    ]);
  });

  it('compares with the schemas of tools', async () => {
    const schema = { type: 'object', properties: { amount: { type: 'number' } } };
    const tools = await readTools(
      file('tools.json', JSON.stringify({ tools: [{ name: 'refund', inputSchema: schema }] })),
    );
    const [linted] = await lintFiles([POLICY], tools);
    expect(linted!.findings.filter(({ kind }) => kind === 'unknown_member')).toMatchObject([
      { place: 'rules:large', proposal: 'args.amount' },
      { place: 'rules:small', proposal: 'args.amount' },
    ]);
  });

  it('reports what a profile refuses as findings', async () => {
    const rules = [{ id: 'a', effect: 'deny', when: 'facts.red' }];
    const [linted] = await lintFiles([file('refused.json', JSON.stringify({ profile: { rules } }))], null);
    expect(linted!.findings).toMatchObject([{ place: 'rules:a', kind: 'refused', line: 1, member: 'when' }]);
  });

  it.each([
    ['broken.yaml', 'profile: ['],
    ['other.yaml', 'something: else'],
    ['shape.yaml', 'profile: { rules: [{ id: a, efect: deny }] }'],
  ])('ends with 64 for %s, which is no policy', async (name, text) => {
    await expect(lintFiles([file(name, text)], null)).rejects.toMatchObject({ exitCode: 64 });
    await expect(lintFiles([join(folder, 'missing.yaml')], null)).rejects.toMatchObject({ exitCode: 64 });
  });

  it.each(['{"tools":5}', '[', '"x"'])('ends with 64 for schemas %s', async (text) => {
    await expect(readTools(file('no-tools.json', text))).rejects.toMatchObject({ exitCode: 64 });
  });
});
