import { readFileSync } from 'node:fs';
import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile } from '../compile-profile.js';
import { decide } from '../decide.js';
import { emptyProfile } from '../profile/profile-fields.js';

interface ToolCase {
  readonly name: string;
  readonly input: unknown;
  readonly url?: string;
  readonly denied?: readonly string[];
  readonly at?: string;
}

const TABLE = new URL('../../../../test-e2e/client-cases/tool-calls.json', import.meta.url);
const { profiles, cases } = JSON.parse(readFileSync(TABLE, 'utf8')) as {
  readonly profiles: Readonly<Record<string, Partial<BehaviorProfile>>>;
  readonly cases: readonly ToolCase[];
};
const NONE = emptyProfile('018f4d5e-0000-7000-8000-000000000001');

describe.each(Object.entries(profiles))('the arguments of a tool call, by the profile %s', (profile, given) => {
  const compiled = compileProfile({ ...NONE, ...given });

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { input, url, denied = [], at }) => {
    const call = { type: 'tool_use', tool_name: 'tool', ...(input === null ? {} : { payload: input }) };
    // With the url that clients repeat for the record the verdict is the same.
    for (const action of [call, { ...call, type: 'Tool-Use' }, ...(url === undefined ? [] : [{ ...call, url }])]) {
      const { violation, coverage } = decide(compiled, action);
      expect([violation !== null, coverage.length > 0]).toEqual([denied.includes(profile), true]);
      if (violation !== null) expect(violation.reason).toContain(at);
    }
  });
});
