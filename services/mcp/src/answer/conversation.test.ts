import type { Api, ApiAnswer } from './api.js';
import { Conversation } from './conversation.js';

const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'check_action', arguments: {} } };

function conversationWith(answer: Omit<ApiAnswer, 'eventId'>): Conversation {
  const api: Pick<Api, 'ask'> = { ask: () => Promise.resolve({ ...answer, eventId: null }) };
  return new Conversation(api, { warn: () => undefined });
}

describe('a conversation', () => {
  it('answers a call that the same request cancels, so that the request ends', async () => {
    const body = { allowed: true };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const { status, text } = await conversationWith({ status: 200, body }).answer(
      [call, cancelled],
      'k',
      { rights: 0 },
      undefined,
    );
    expect([status, JSON.parse(text)]).toMatchObject([200, { id: 7, result: { structuredContent: body } }]);
  });

  it('asks with the names that its caller sent, and with none where there are none', async () => {
    const asked: unknown[] = [];
    const ask: Api['ask'] = (_path, _body, _key, named) => {
      asked.push(named);
      return Promise.resolve({ status: 200, body: { allowed: true }, eventId: null });
    };
    const conversation = new Conversation({ ask }, { warn: () => undefined });
    await conversation.answer(call, 'k', { rights: 0 }, undefined, { 'x-countersign-session': 'abc' });
    await conversation.answer(call, 'k', { rights: 0 }, undefined);
    expect(asked).toEqual([{ 'x-countersign-session': 'abc' }, {}]);
  });

  it('takes a denial as a result with any status, and allowed only with that of success', async () => {
    const isError = async (status: number, allowed: boolean): Promise<unknown> => {
      const { text } = await conversationWith({ status, body: { allowed } }).answer(
        call,
        'k',
        { rights: 0 },
        undefined,
      );
      return (JSON.parse(text) as { readonly result: { readonly isError?: boolean } }).result.isError ?? false;
    };
    expect([await isError(503, false), await isError(200, true), await isError(500, true)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
