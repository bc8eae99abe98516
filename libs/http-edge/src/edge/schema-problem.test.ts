import { everyRoute, nullable, uuid } from '@countersign/contracts';
import type { JsonSchema } from '@countersign/contracts';
import { compileSchema, schemaCheck } from './validation.js';

const action: JsonSchema = {
  type: 'object',
  required: ['agentId', 'action'],
  additionalProperties: false,
  properties: {
    agentId: uuid,
    action: {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string', minLength: 1 }, cost: { type: 'number', minimum: 0 } },
    },
    tags: { type: 'array', maxItems: 2, items: nullable({ type: 'string', maxLength: 4 }) },
    format: { enum: ['json', 'pdf'] },
    name: { type: 'string', pattern: '\\S' },
    rate: nullable({ type: 'object', required: ['max', 'seconds'], properties: { max: {}, seconds: {} } }),
  },
};
const AGENT = '0198c0de-0000-7000-8000-000000000001';

describe('what is wrong with a body', () => {
  const check = compileSchema(action);
  it.each([
    [[], 'the body must be an object'],
    [{}, 'agentId is required'],
    [{ agentId: AGENT, action: {} }, 'action.type is required'],
    [{ agentId: 'x', action: { type: 'a' } }, 'agentId must be a UUID'],
    [{ agentId: 7, action: { type: 'a' } }, 'agentId must be a string'],
    [{ agentId: AGENT, action: { type: '' } }, 'action.type must have at least 1 character'],
    [{ agentId: AGENT, action: { type: 'a', cost: -1 } }, 'action.cost must be at least 0'],
    [
      { agentId: AGENT, action: { type: 'a' }, actionType: 'a' },
      'unknown field "actionType". Did you mean "action"? Known fields: agentId, action, tags, format, name, rate',
    ],
    [
      { agentId: AGENT, action: { type: 'a' }, 'a b': 1 },
      'unknown field "…". Known fields: agentId, action, tags, format, name, rate',
    ],
    [{ agentId: AGENT, action: { type: 'a' }, tags: [1] }, 'tags[0] must be a string or null'],
    [{ agentId: AGENT, action: { type: 'a' }, tags: ['', 'long entry'] }, 'tags[1] must have at most 4 characters'],
    [{ agentId: AGENT, action: { type: 'a' }, tags: [null, null, null] }, 'tags must have at most 2 entries'],
    [{ agentId: AGENT, action: { type: 'a' }, format: 'xml' }, 'format must be one of "json", "pdf"'],
    [{ agentId: AGENT, action: { type: 'a' }, name: ' ' }, 'name must be more than white space'],
    [{ agentId: AGENT, action: { type: 'a' }, rate: {} }, 'rate.max is required'],
    [{ agentId: AGENT, action: { type: 'a' }, rate: { max: 1 } }, 'rate.seconds is required'],
    [{ agentId: AGENT, action: { type: 'a' }, rate: 1 }, 'rate must be an object or null'],
  ])('%j: %s', (body, problem) => {
    expect(check(body)).toBe(problem);
  });

  it('is nothing for what fits', () => {
    expect(
      check({ agentId: AGENT, action: { type: 'a', anything: [{}] }, tags: ['a', null], format: 'pdf' }),
    ).toBeNull();
  });

  it('takes own keys alone for fields', () => {
    const inherits = compileSchema({ type: 'object', required: ['toString'], properties: { toString: {} } });
    expect(inherits({})).toBe('toString is required');
  });

  it('refuses to compile a schema with an unknown keyword', () => {
    const schema = { type: 'object', propertys: {} };
    expect(() => compileSchema(schema)).toThrow('propertys');
    const check = schemaCheck(schema);
    expect(() => check({})).toThrow('propertys');
  });
  it('says the patterns of every route in words', () => {
    const asked = everyRoute.map(({ params, query, headers, body }) => [params, query, headers, body]);
    const patterns = JSON.stringify(asked).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? [];
    expect(patterns.length).toBeGreaterThan(5);
    for (const quoted of new Set(patterns)) {
      const { pattern } = JSON.parse(`{${quoted}}`) as { pattern: string };
      const check = compileSchema({ type: 'string', pattern });
      // Some patterns take the empty text, and no other takes a line feed alone.
      const problem = check('') ?? check('\n');
      expect(problem).not.toContain(pattern);
    }
  });

  describe('a body of one of several forms', () => {
    const check = compileSchema({
      type: 'object',
      properties: { package: { type: 'object' }, event: { type: 'object' }, proof: { type: 'object' } },
      anyOf: [{ required: ['package'] }, { required: ['event', 'proof'] }],
    });
    it.each([
      [{}, 'package or event is required'],
      [{ event: {} }, 'package or proof is required'],
      [{ package: 1 }, 'package must be an object'],
      [{ event: {}, proof: {} }, null],
    ])('%j: %s', (body, problem) => {
      expect(check(body)).toBe(problem);
    });
  });
});
