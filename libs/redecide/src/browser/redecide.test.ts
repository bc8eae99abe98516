import { readFileSync } from 'node:fs';
import type { JsonValue, PackageEvent, SignedPackage } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import * as browser from '@countersign/redecide/browser';

const SAME = new URL('../../../evidence/vectors/redecide/same.json', import.meta.url);
const { sha256 } = nodeCrypto;

/** The package of the vector `same`, whose profile has one rule that reads SQL. */
function readingSql(id: string): { readonly events: readonly PackageEvent[] } {
  const { package: pkg } = JSON.parse(readFileSync(SAME, 'utf8')) as { readonly package: SignedPackage };
  const rules = [{ id, tools: ['read_file'], args: { path: { read_only_sql: true } }, effect: 'deny_unless' }];
  const events = pkg.events.map((entry) => {
    const opening = entry.opened.action;
    if (entry.event.type !== 'profile.changed' || opening === undefined || !('value' in opening)) return entry;
    const value = opening.value as { readonly profile: object };
    const profile = { ...value.profile, rules, facts: [], limits: [] };
    return { ...entry, opened: { ...entry.opened, action: { ...opening, value: { ...value, profile } as JsonValue } } };
  });
  return { events };
}

describe('re-decision in one file', () => {
  const verdicts = (id: string, without?: readonly string[]): readonly string[] => {
    const { events } = browser.redecide(readingSql(id), { sha256, ...(without === undefined ? {} : { without }) });
    return [...new Set(events.map(({ verdict, reason }) => `${verdict} ${reason}`))];
  };

  it('does not judge by a profile that reads SQL before there is a parser', () => {
    expect(browser.namesInRules(readingSql('a'), 'read_only_sql')).toBe(true);
    expect(verdicts('a')).toEqual(['not_checked profile']);
    expect(verdicts('b', ['read_only_sql'])).toEqual(['not_checked rule']);
  });

  it('judges with the parser that it was provided with', () => {
    const asked: string[] = [];
    browser.provideSqlParser((sql) => {
      asked.push(sql);
      return { stmts: [] };
    });
    expect(verdicts('b').filter((verdict) => verdict.startsWith('not_checked'))).toEqual([]);
    expect(asked).toContain('/secrets/key');
  });
});
