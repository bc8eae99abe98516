import type { ComplianceScope, ControlState, Framework } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { controlState } from './applicability.js';
import { loadControlMapping, type MappedControl } from './control-mapping.js';

const mapping = loadControlMapping(nodeCrypto);
const control = (framework: Framework, id: string, relation = 'supporting'): MappedControl =>
  mapping.controlsOf([framework]).find((one) => one.controlId === id && one.relation === relation)!;
const NONE = { events: 0, gap: 0 };
const SOME = { events: 3, gap: 0 };
const GAPS = { events: 3, gap: 1 };

describe('the state of a control', () => {
  it.each<readonly [string, MappedControl, ComplianceScope, typeof NONE, ControlState]>([
    ['events', control('soc2', 'CC6.1'), {}, SOME, 'shown'],
    ['events with gaps', control('soc2', 'CC6.1'), {}, GAPS, 'shown_with_gaps'],
    ['no event', control('soc2', 'CC6.6'), {}, NONE, 'not_shown'],
    ['events that relate to it', control('soc2', 'CC7.3', 'contextual'), {}, SOME, 'not_shown'],
    ['a category that is undeclared', control('soc2', 'C1.1'), {}, NONE, 'needs_declaration'],
    [
      'a category that is declared',
      control('soc2', 'C1.1'),
      { soc2: { categories: ['confidentiality'] } },
      SOME,
      'shown',
    ],
    ['other categories', control('soc2', 'C1.1'), { soc2: { categories: ['privacy'] } }, NONE, 'does_not_apply'],
    ['ePHI undeclared', control('hipaa', '164.312(a)(1)'), {}, NONE, 'needs_declaration'],
    ['no ePHI', control('hipaa', '164.312(a)(1)'), { hipaa: { ephi: false } }, NONE, 'does_not_apply'],
    ['ePHI', control('hipaa', '164.312(a)(1)'), { hipaa: { ephi: true } }, GAPS, 'shown_with_gaps'],
    ['no classification', control('euaiact', '12(1)', 'direct'), {}, SOME, 'needs_declaration'],
    [
      'not assessed',
      control('euaiact', '19(1)'),
      { euaiact: { classification: 'not-assessed' } },
      SOME,
      'needs_declaration',
    ],
    [
      'not high-risk',
      control('euaiact', '19(1)'),
      { euaiact: { classification: 'not-high-risk' } },
      SOME,
      'does_not_apply',
    ],
    ['high-risk', control('euaiact', '19(1)'), { euaiact: { classification: 'high-risk-annex-i' } }, SOME, 'shown'],
    ['a covered entity', control('nydfs', '500.14(a)(1)'), { nydfs: { coveredEntity: true } }, SOME, 'shown'],
    [
      'no covered entity',
      control('nydfs', '500.14(a)(1)'),
      { nydfs: { coveredEntity: false } },
      SOME,
      'does_not_apply',
    ],
    ['guidance that is superseded', control('sr11-7', 'VI Roles', 'contextual'), {}, SOME, 'not_shown'],
  ])('with %s', (_name, one, scope, events, state) => {
    expect(controlState(one, scope, events)).toBe(state);
  });

  it('needs no declaration where a row of the control has no condition on the account', () => {
    expect(control('nydfs', '500.6(a)(1)').conditions).toEqual([['financial'], []]);
    expect(controlState(control('nydfs', '500.6(a)(1)'), { nydfs: { coveredEntity: true } }, NONE)).toBe('not_shown');
  });

  it('rests on articles of the EU AI Act that bind high-risk systems alone', () => {
    for (const { controlId } of mapping.controlsOf(['euaiact'])) {
      const article = Number.parseInt(controlId, 10);
      expect([controlId, article >= 6 && article <= 27]).toEqual([controlId, true]);
    }
  });
});
