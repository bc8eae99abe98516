import type { ComplianceScope, LeafEvent } from '@countersign/contracts';
import { FRAMEWORKS } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { controlMapping, loadControlMapping } from './control-mapping.js';
import { eventConditions, situationOf, SITUATIONS } from './situation.js';
import { statementsFor } from './statements.js';

const mapping = loadControlMapping(nodeCrypto);
const NEITHER = { financial: false, tls: false };
const ids = (
  situation: (typeof SITUATIONS)[number],
  framework: (typeof FRAMEWORKS)[number],
  scope: ComplianceScope = {},
  conditions = NEITHER,
): string[] =>
  mapping.controls(situation, [framework], scope, conditions, 'Satisfied').map((control) => control.controlId);

describe('the stored mapping', () => {
  it('has a version and a hash', () => {
    expect(mapping.version).toMatch(/^\d{4}\.\d+\.\d+$/);
    expect(mapping.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('maps an allowed tool use as the table says, without undeclared scopes', () => {
    expect(ids('allowed_tool_use', 'soc2')).toEqual(['CC6.1', 'CC6.3', 'CC7.2']);
    expect(ids('allowed_tool_use', 'euaiact')).toEqual(['12(1)', '12(2)(c)', '19(1)', '26(1)', '26(5)', '26(6)']);
    expect(ids('allowed_tool_use', 'hipaa')).toEqual([]);
    expect(ids('allowed_tool_use', 'nydfs')).toEqual(['500.6(a)(2)', '500.7(a)(1)', '500.14(a)(1)']);
    expect(ids('allowed_tool_use', 'sr26-2')).toEqual([
      'II footnote 3',
      'V Ongoing Monitoring',
      'VI Governance and Controls',
    ]);
  });

  it('adds the conditional controls if the account declared their scope', () => {
    const scope: ComplianceScope = { soc2: { categories: ['processing-integrity'] }, hipaa: { ephi: true } };
    expect(ids('allowed_tool_use', 'soc2', scope)).toEqual(['CC6.1', 'CC6.3', 'CC7.2', 'PI1.3', 'PI1.5']);
    expect(ids('allowed_tool_use', 'hipaa', scope)).toEqual(['164.312(a)(1)', '164.312(b)', '164.312(d)']);
    expect(ids('allowed_tool_use', 'hipaa', { hipaa: { ephi: false } })).toEqual([]);
  });

  it('reads from the action whether it is financial', () => {
    expect(ids('allowed_tool_use', 'nydfs', {}, { ...NEITHER, financial: true })).toContain('500.6(a)(1)');
    expect(eventConditions({ type: 'tool_use', estimatedCost: 5 })).toEqual({ ...NEITHER, financial: true });
    expect(eventConditions({ type: 'tool_use' })).toEqual(NEITHER);
    expect(eventConditions(undefined)).toEqual(NEITHER);
  });

  it('counts a call as evidence of encryption only if it uses TLS, and for nothing more', () => {
    expect(ids('allowed_http_call', 'nydfs')).not.toContain('500.15(a)');
    const controls = mapping.controls('allowed_http_call', ['nydfs'], {}, { ...NEITHER, tls: true }, 'Satisfied');
    expect(controls.find(({ controlId }) => controlId === '500.15(a)')).toMatchObject({ relation: 'supporting' });
    for (const url of ['http://api.example.com/', 'api.example.com', 'https', 7, null])
      expect(eventConditions({ type: 'http_call', url })).toEqual(NEITHER);
    expect(eventConditions({ type: 'http_call', url: 'HTTPS://api.example.com' })).toEqual({ ...NEITHER, tls: true });
  });

  it('never lists Article 50, which requires evidence that no event carries', () => {
    expect(ids('allowed_llm_response', 'euaiact')).not.toContain('50(1)');
  });

  it('gives a spending denial no HIPAA control, even with ePHI declared', () => {
    expect(ids('denied_spending_limit', 'hipaa', { hipaa: { ephi: true } })).toEqual([]);
  });

  it('counts erased or expired content as disposal, and as nothing else', () => {
    const scope: ComplianceScope = { soc2: { categories: ['confidentiality'] }, hipaa: { ephi: true } };
    const of = FRAMEWORKS.map((framework) => ids('content_disposed', framework, scope));
    expect(of.flat().sort()).toEqual(['500.13(b)', 'C1.2', 'II footnote 3']);
    expect(ids('content_disposed', 'soc2')).toEqual([]);
  });

  it('maps every other situation to a control of every framework but HIPAA', () => {
    for (const situation of SITUATIONS.filter((one) => one !== 'content_disposed'))
      for (const framework of FRAMEWORKS.filter((name) => name !== 'hipaa'))
        expect(ids(situation, framework).length).toBeGreaterThan(0);
  });

  it('refuses a file with unknown names', () => {
    const row = { framework: 'soc3', situation: 'allowed_tool_use' };
    expect(() => controlMapping({ mappingVersion: '1', rows: [row] }, nodeCrypto)).toThrow('soc3');
  });
});

describe('the situation of an event', () => {
  const check = (members: Partial<LeafEvent>): LeafEvent =>
    ({
      type: 'action.checked',
      outcome: 'allowed',
      violation_type: null,
      actionKind: 'tool_use',
      ...members,
    }) as LeafEvent;

  it.each([
    [{}, 'allowed_tool_use'],
    [{ actionKind: 'http_call' }, 'allowed_http_call'],
    [{ actionKind: 'data_access' }, 'allowed_data_access'],
    [{ actionKind: 'other' }, null],
    [{ outcome: 'denied', violation_type: 'api_not_allowed' }, 'denied_api'],
    [{ outcome: 'denied', violation_type: 'unsafe_output' }, 'denied_unsafe_output'],
    [{ outcome: 'denied', violation_type: 'rule_denied' }, 'denied_off_limits'],
    [{ outcome: 'denied', violation_type: 'rule_error' }, 'denied_off_limits'],
    [{ outcome: 'denied', violation_type: 'approval_required' }, 'denied_off_limits'],
    [{ outcome: 'denied', violation_type: 'limit_exceeded' }, 'denied_rate_limit'],
    [{ outcome: 'denied', violation_type: 'some_later_one' }, null],
    [{ outcome: 'frozen' }, 'agent_frozen'],
    [{ outcome: 'action_cap' }, null],
    [{ type: 'profile.changed' }, 'profile_change'],
    [{ type: 'agent.unfrozen' }, 'agent_frozen'],
    [{ type: 'agent.created' }, null],
    [{ type: 'content.erased' }, 'content_disposed'],
    [{ type: 'retention.applied' }, 'content_disposed'],
  ] as const)('%j is %s', (members, situation) => {
    expect(situationOf(check(members), null)).toBe(situation);
  });

  it('distinguishes personal data from other unsafe output', () => {
    expect(situationOf(check({ violation_type: 'unsafe_output' }), 'pii')).toBe('denied_pii');
  });
});

describe('the statements', () => {
  it('has one for each requested framework, in that order', () => {
    expect(statementsFor(['nydfs', 'soc2'], {}).map(({ framework }) => framework)).toEqual(['nydfs', 'soc2']);
  });

  it('prints SR 26-2 and SR 11-7 with their fixed wording', () => {
    const [sr11, sr26] = statementsFor(['sr11-7', 'sr26-2'], {});
    expect(sr11?.text).toContain('Superseded guidance; shown for policies that still cite it.');
    expect(sr26?.text).toContain('generative and agentic AI models are not within its scope');
  });

  it('prints the declaration, or that there is none', () => {
    expect(statementsFor(['euaiact'], {})[0]?.text).toContain('undeclared');
    const scope: ComplianceScope = { euaiact: { classification: 'not-high-risk' } };
    expect(statementsFor(['euaiact'], scope)[0]?.text).toContain('not a high-risk system');
  });
});
