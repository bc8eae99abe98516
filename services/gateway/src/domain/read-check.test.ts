import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { checkBody } from '@countersign/contracts';
import { readCheck } from './read-check.js';

const validate = new Ajv2020({ strict: true, ownProperties: true }).compile(checkBody);

const ID = '018F4d5e-0000-7000-8000-0000000000aa';

describe('readCheck', () => {
  it('judges as the schema of the route does', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', 'x', 0, -1, 1.5, true, [], {}));
    const action = fc.oneof(
      odd,
      fc.record(
        {
          type: fc.oneof(fc.constantFrom('http_call', ''), odd),
          url: odd,
          payload: odd,
          metadata: odd,
          dataScope: odd,
          estimatedCost: odd,
          tool_name: odd,
          toolName: odd,
          more: odd,
        },
        { requiredKeys: [] },
      ),
      fc.record({
        type: fc.string({ minLength: 1 }),
        url: fc.string(),
        estimatedCost: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      }),
    );
    const body = fc.oneof(
      odd,
      fc.record(
        { agentId: fc.oneof(fc.constant(ID), fc.uuid(), odd), action, actionType: odd, more: odd },
        { requiredKeys: [] },
      ),
      fc.record({ agentId: fc.constant(ID), action }),
    );
    let accepted = 0;
    fc.assert(
      fc.property(body, (given) => {
        // As it arrives: parsed from text.
        const parsed: unknown = JSON.parse(JSON.stringify(given));
        const fits = typeof readCheck(parsed) !== 'string';
        if (fits) accepted += 1;
        expect(fits).toBe(validate(parsed));
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it.each([
    ['{"agentId":"x","action":{"type":"a"}}', 'agentId must be a UUID'],
    [`{"agentId":"${ID}"}`, 'action is missing'],
    [`{"agentId":"${ID}","action":{}}`, 'action.type is missing'],
    [`{"agentId":"${ID}","action":{"type":""}}`, 'must not be empty'],
    [`{"agentId":"${ID}","action":{"type":"data_access","dataScope":""}}`, 'action.dataScope must not be empty'],
    [`{"agentId":"${ID}","action":{"type":"a"},"actionType":"a"}`, 'send action.type'],
    [`{"agentid":"${ID}","action":{}}`, 'unknown field "agentid". Did you mean "agentId"?'],
    [`{"agentId":"${ID}","action":{"type":"a","url":null}}`, 'action.url must be a string'],
    [`{"agentId":"${ID}","action":{"type":"a","estimatedCost":-1}}`, 'below zero'],
    [
      `{"agentId":"${ID}","action":{"type":"a"},"__proto__":{}}`,
      'unknown field "__proto__". Known fields: agentId, action',
    ],
  ])('says of %s what to change', (text, words) => {
    expect(readCheck(JSON.parse(text))).toContain(words);
  });
});
