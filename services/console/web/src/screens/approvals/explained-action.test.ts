import { explainedAction } from './explained-action.js';

describe('explainedAction', () => {
  const plain = { type: 'tool_call', toolName: 'refund' };

  it('names principal and session of the check before those of the metadata', () => {
    const action = { ...plain, metadata: { session: 'of the action', ticket: 7 } };
    const context = { effect: 'approve', principal: 'ada', session: 'run-9' };
    expect(explainedAction(action, context, 'ada')).toEqual({
      action: { ...plain, metadata: { principal: 'ada', session: 'run-9', ticket: 7 } },
      leftOut: null,
    });
    expect(action.metadata).toEqual({ session: 'of the action', ticket: 7 });
  });

  it('leaves an action as it is where its check names neither', () => {
    expect(explainedAction(plain, { effect: 'approve' }, null)).toEqual({ action: plain, leftOut: null });
  });

  it('has the principal of the request, and says that a session is not known, without a context', () => {
    for (const context of [undefined, null, 'text']) {
      const metadata = { principal: 'ada' };
      expect(explainedAction(plain, context, 'ada')).toEqual({ action: { ...plain, metadata }, leftOut: 'session' });
      expect(explainedAction(plain, context, null)).toEqual({ action: plain, leftOut: 'session' });
    }
  });

  it('says that the issuer of a token is left out', () => {
    const context = { principal: 'ada', issuer: 'https://issuer.example' };
    expect(explainedAction({ ...plain, metadata: null }, context, 'ada')).toEqual({
      action: { ...plain, metadata: { principal: 'ada' } },
      leftOut: 'token',
    });
  });
});
