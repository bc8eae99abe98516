import type { EvaluationParts } from '@countersign/contracts';
import { readEvaluation } from './read-evaluation.js';
import { withArgumentsAsPayload } from './tool-arguments.js';

const subject = { type: 'agent', id: '0b0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c11' };
const call = { subject, action: { name: 'tools/call' }, resource: { type: 'tool', id: 'refund' } };
const args = { amount: 5, to: 'a@acme.com' };

function actionOf(parts: EvaluationParts): unknown {
  const moved = withArgumentsAsPayload(parts);
  if (typeof moved === 'string') return moved;
  const read = readEvaluation(moved);
  return typeof read === 'string' ? read : read.action;
}

describe('the arguments of a tool in an evaluation', () => {
  it.each([
    ['action', { ...call, action: { ...call.action, properties: { arguments: args } } }],
    ['resource', { ...call, resource: { ...call.resource, properties: { arguments: args, server: 'm' } } }],
    ['context', { ...call, context: { agent: 'c', arguments: args } }],
    ['a tool of any action', { ...call, action: { name: 'use' }, context: { arguments: args } }],
  ])('are the payload, once: %s', (_where, parts) => {
    const action = actionOf(parts);
    expect(action).toMatchObject({ tool_name: 'refund', payload: args });
    expect(JSON.stringify(action).split('acme.com')).toHaveLength(2);
  });

  it('are those of the method tools/call whatever its resource is called', () => {
    const parts = { ...call, resource: { type: 'thing', id: 'refund' }, context: { arguments: args } };
    expect(actionOf(parts)).toMatchObject({ type: 'tools/call', payload: args });
  });

  it('are the same in several places, and refused where they differ', () => {
    const twice = { ...call, action: { ...call.action, properties: { arguments: args } } };
    expect(actionOf({ ...twice, context: { arguments: { to: args.to, amount: 5 } } })).toMatchObject({ payload: args });
    expect(actionOf({ ...twice, context: { arguments: { amount: 6 } } })).toMatch(/differ/);
  });

  it('are left where they are beside a payload, and where no tool is called', () => {
    const both = { ...call, action: { ...call.action, properties: { arguments: args, payload: { a: 1 } } } };
    expect(actionOf(both)).toMatchObject({ payload: { a: 1 }, arguments: args });
    const read = {
      ...call,
      action: { name: 'read' },
      resource: { type: 'document', id: 'd' },
      context: { arguments: 1 },
    };
    expect(withArgumentsAsPayload(read)).toBe(read);
    expect(withArgumentsAsPayload(call)).toBe(call);
  });
});
