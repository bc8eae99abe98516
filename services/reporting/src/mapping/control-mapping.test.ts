import { readFileSync } from 'node:fs';
import type { ComplianceScope, Framework, LeafEvent } from '@countersign/contracts';
import { FRAMEWORKS } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { controlMapping, loadControlMapping, type MappingRow } from './control-mapping.js';
import { ANY_EVENT, eventConditions, situationOf, SITUATIONS } from './situation.js';
import { statementsFor } from './statements.js';

const mapping = loadControlMapping(nodeCrypto);
const { rows } = JSON.parse(readFileSync(new URL('../../mapping/control-mapping.json', import.meta.url), 'utf8')) as {
  readonly rows: readonly MappingRow[];
};
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

  it('maps an allowed tool use as its rows say, without undeclared scopes', () => {
    expect(ids('allowed_tool_use', 'soc2')).toEqual(['CC7.2', 'CC6.1', 'CC6.3']);
    expect(ids('allowed_tool_use', 'euaiact')).toEqual(['12(1)', '12(2)(c)', '19(1)', '26(5)', '26(6)']);
    expect(ids('allowed_tool_use', 'hipaa')).toEqual([]);
    expect(ids('allowed_tool_use', 'nydfs')).toEqual(['500.6(a)(2)', '500.14(a)(1)', '500.7(a)(1)']);
    expect(ids('allowed_tool_use', 'sr26-2')).toEqual([
      'II footnote 3',
      'V Ongoing Monitoring',
      'VI Governance and Controls',
    ]);
  });

  it('adds the conditional controls if the account declared their scope', () => {
    const scope: ComplianceScope = {
      soc2: { categories: ['processing-integrity'] },
      hipaa: { ephi: true },
    };
    expect(ids('allowed_tool_use', 'soc2', scope)).toEqual(['CC7.2', 'PI1.5', 'CC6.1', 'CC6.3', 'PI1.3']);
    expect(ids('allowed_tool_use', 'hipaa', scope)).toEqual(['164.312(b)', '164.312(a)(2)(i)', '164.312(a)(1)']);
    expect(ids('allowed_tool_use', 'hipaa', { hipaa: { ephi: false } })).toEqual([]);
  });

  it('gives every row a rationale in one sentence, a source, and a relation that is not direct by default', () => {
    for (const { rationale, sourceUrl } of rows) {
      expect(rationale).toMatch(/^[A-Z][^.]*\.$/);
      expect(new URL(sourceUrl).protocol).toBe('https:');
    }
    const direct = rows.filter(({ relation }) => relation === 'direct').map(({ controlId }) => controlId);
    expect(direct).toEqual(['12(1)', '164.312(b)', '500.6(a)(2)']);
  });

  it('lists a control once for an event', () => {
    const scope: ComplianceScope = {
      soc2: {
        categories: ['availability', 'processing-integrity', 'confidentiality', 'privacy'],
      },
      hipaa: { ephi: true },
    };
    for (const situation of SITUATIONS)
      for (const framework of FRAMEWORKS) {
        const listed = ids(situation, framework, scope, {
          financial: true,
          tls: true,
        });
        expect(listed).toEqual([...new Set(listed)]);
      }
  });

  it('serves logging controls by every event: denials, and kinds without a situation', () => {
    const logging = {
      euaiact: '12(1)',
      hipaa: '164.312(b)',
      nydfs: '500.6(a)(2)',
    } as const;
    for (const situation of [null, ...SITUATIONS])
      for (const [framework, controlId] of Object.entries(logging)) {
        const scope: ComplianceScope = { hipaa: { ephi: true } };
        const controls = mapping.controls(situation, [framework as Framework], scope, NEITHER, 'Prevented');
        expect(controls).toContainEqual(expect.objectContaining({ controlId, relation: 'direct' }));
      }
  });

  it('does not count the end of a freeze as a stop', () => {
    expect(ids('agent_frozen', 'euaiact')).toContain('14(4)(e)');
    expect(ids('denied_frozen', 'euaiact')).toContain('14(4)(e)');
    expect(ids('agent_unfrozen', 'euaiact')).not.toContain('14(4)(e)');
  });

  it('serves human oversight by events of approvals, and nothing of it as direct', () => {
    expect(ids('approval_requested', 'euaiact')).toContain('14(3)');
    expect(ids('approval_requested', 'soc2')).toEqual(['CC7.2', 'CC6.1']);
    expect(ids('approval_decided', 'soc2')).toEqual(['CC7.2', 'CC6.3']);
    expect(ids('approval_decided', 'euaiact')).toEqual(
      expect.arrayContaining(['14(3)', '14(4)(b)', '14(4)(d)', '26(2)']),
    );
    expect(ids('approval_expired', 'euaiact')).not.toContain('14(4)(d)');
    const controls = mapping.controls('approval_decided', ['euaiact'], {}, NEITHER, 'Satisfied');
    const relations = controls.filter(({ controlId }) => controlId.startsWith('14')).map(({ relation }) => relation);
    expect(relations.sort()).toEqual(['contextual', 'supporting', 'supporting']);
  });

  it('reads from the action whether it is financial', () => {
    expect(ids('allowed_tool_use', 'nydfs', {}, { ...NEITHER, financial: true })).toContain('500.6(a)(1)');
    expect(eventConditions({ type: 'tool_use', estimatedCost: 5 })).toEqual({
      ...NEITHER,
      financial: true,
    });
    expect(eventConditions({ type: 'tool_use' })).toEqual(NEITHER);
    expect(eventConditions(undefined)).toEqual(NEITHER);
  });

  it('counts a call as evidence of encryption only if it uses TLS, and for nothing more', () => {
    expect(ids('allowed_http_call', 'nydfs')).not.toContain('500.15(a)');
    const controls = mapping.controls('allowed_http_call', ['nydfs'], {}, { ...NEITHER, tls: true }, 'Satisfied');
    expect(controls.find(({ controlId }) => controlId === '500.15(a)')).toMatchObject({ relation: 'contextual' });
    for (const url of ['http://api.example.com/', 'api.example.com', 'https', 7, null])
      expect(eventConditions({ type: 'http_call', url })).toEqual(NEITHER);
    expect(eventConditions({ type: 'http_call', url: 'HTTPS://api.example.com' })).toEqual({ ...NEITHER, tls: true });
  });

  it('claims nothing that no event shows: transparency, marking of content, vendors', () => {
    for (const controlId of ['13(1)', '50(1)', '50(2)', 'CC9.2', '164.308(b)(1)', '500.11(a)(4)', 'V Vendor', 'VII'])
      expect(rows.map((row) => row.controlId)).not.toContain(controlId);
  });

  it('gives a spending denial no HIPAA control but those of records, even with ePHI declared', () => {
    expect(ids('denied_spending_limit', 'hipaa', { hipaa: { ephi: true } })).toEqual([
      '164.312(b)',
      '164.312(a)(2)(i)',
      '164.308(a)(1)(ii)(D)',
    ]);
  });

  it('counts erased or expired content as disposal, and otherwise as a record only', () => {
    const scope: ComplianceScope = {
      soc2: { categories: ['confidentiality'] },
      hipaa: { ephi: true },
    };
    const every = new Set(rows.filter((row) => row.situations.includes(ANY_EVENT)).map(({ controlId }) => controlId));
    const of = FRAMEWORKS.flatMap((framework) => ids('content_disposed', framework, scope));
    expect(of.filter((controlId) => !every.has(controlId)).sort()).toEqual(['500.13(b)', 'C1.2']);
    expect(ids('content_disposed', 'soc2')).toEqual(['CC7.2']);
  });

  it('maps every situation to a control of every framework but HIPAA', () => {
    for (const situation of SITUATIONS)
      for (const framework of FRAMEWORKS.filter((name) => name !== 'hipaa'))
        expect(ids(situation, framework).length).toBeGreaterThan(0);
  });

  it('refuses a file with unknown names', () => {
    const row = { framework: 'soc3', situations: ['allowed_tool_use'] };
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
    [{ outcome: 'frozen' }, 'denied_frozen'],
    [{ outcome: 'action_cap' }, null],
    [{ type: 'profile.changed' }, 'profile_change'],
    [{ type: 'agent.frozen' }, 'agent_frozen'],
    [{ type: 'agent.unfrozen' }, 'agent_unfrozen'],
    [{ type: 'agent.created' }, null],
    [{ type: 'content.erased' }, 'content_disposed'],
    [{ type: 'retention.applied' }, 'content_disposed'],
    [{ type: 'approval.requested' }, 'approval_requested'],
    [{ type: 'approval.decided', outcome: 'denied' }, 'approval_decided'],
    [{ type: 'approval.expired', outcome: 'undecided' }, 'approval_expired'],
    [{ type: 'approval.expired', outcome: 'too_few' }, 'approval_expired'],
    [{ type: 'approval.expired', outcome: 'unused' }, null],
    [{ type: 'approval.consumed' }, 'approval_used'],
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
    const scope: ComplianceScope = {
      euaiact: { classification: 'not-high-risk' },
    };
    expect(statementsFor(['euaiact'], scope)[0]?.text).toContain('not a high-risk system');
  });
});
