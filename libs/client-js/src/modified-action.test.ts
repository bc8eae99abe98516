import { modifiedAction } from './index.js';
import type { PatchOperation } from './index.js';

const ACTION = { actionType: 'tool_use', toolName: 'refund', payload: { amount: 820, to: ['a', 'b'] } };

describe('the action after the change that a denial asks for', () => {
  test.each([
    [[{ op: 'replace', path: '/payload/amount', value: 100 }], { amount: 100, to: ['a', 'b'] }],
    [[{ op: 'remove', path: '/payload/to/0' }], { amount: 820, to: ['b'] }],
    [[{ op: 'add', path: '/payload/to/-', value: 'c' }], { amount: 820, to: ['a', 'b', 'c'] }],
    [[{ op: 'replace', path: '/payload/to/1', value: 'c' }], { amount: 820, to: ['a', 'c'] }],
    [[{ op: 'add', path: '/payload/x~1y', value: null }], { amount: 820, to: ['a', 'b'], 'x/y': null }],
  ] satisfies readonly (readonly [readonly PatchOperation[], unknown])[])('%j', (patch, payload) => {
    const before = JSON.stringify(ACTION);
    expect(modifiedAction(ACTION, patch)).toEqual({ ...ACTION, payload });
    expect(JSON.stringify(ACTION)).toBe(before);
  });

  test.each(['/payload/other', '/payload/amount/0', '/payload/to/2', '/metadata/x', '/payload/toString'])(
    'is an error where %s is not there',
    (path) => {
      expect(() => modifiedAction(ACTION, [{ op: 'remove', path }])).toThrow('the action has no member for remove');
    },
  );
});
