import { actingEvaluation } from './acting-agent.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const OF_USER = { subject: { type: 'identity', id: 'ana' }, action: { name: 'tools/call' } };
const KEY = new Set([AGENT]);

describe('the agent of an evaluation for another subject', () => {
  it('is the one that the API key is limited to, where the context names none', () => {
    expect(actingEvaluation(OF_USER, KEY)).toMatchObject({ parts: { subject: { type: 'agent', id: AGENT } } });
    expect(actingEvaluation({ ...OF_USER, context: {} }, KEY)).toMatchObject({ client: null });
    expect(actingEvaluation(OF_USER, null)).toMatch('name the agent by context.agent');
  });

  it('is the one that the context names', () => {
    const named = (agent: string | { readonly id: string }): unknown =>
      actingEvaluation({ ...OF_USER, context: { agent } }, KEY);
    expect(named('shop')).toMatchObject({ client: 'shop', parts: { subject: { id: 'shop' } } });
    expect(named({ id: AGENT })).toMatchObject({ client: null, parts: { subject: { id: AGENT } } });
  });

  it.each([null, 7, true, [], ['shop'], {}, { id: null }])('is not guessed for %j', (agent) => {
    for (const agents of [KEY, null])
      expect(actingEvaluation({ ...OF_USER, context: { agent } }, agents)).toMatch('context.agent must be a client id');
  });
});
