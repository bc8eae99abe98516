import type { Api, ApiAnswer } from './api.js';
import { Conversation } from './conversation.js';

const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'check_action', arguments: {} } };

interface Answer {
  readonly id: number;
  readonly result: { readonly _meta?: { readonly traceparent?: string } };
}

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

  it('checks in the trace of each call, else in that of the request, and repeats it in the result of a recorded check', async () => {
    const trace = (id: string): string => `00-${id.repeat(32)}-00f067aa0ba902b7-01`;
    const asked: unknown[] = [];
    let eventId: string | null = 'e';
    const ask: Api['ask'] = (_path, _body, _key, named) => {
      asked.push(named?.['traceparent']);
      return Promise.resolve({ status: 200, body: { allowed: true }, eventId });
    };
    const conversation = new Conversation({ ask }, { warn: () => undefined });
    const results = async (header: string | undefined, ...sent: unknown[]): Promise<unknown[]> => {
      asked.length = 0;
      const calls = sent.map((traceparent, id) => ({
        ...call,
        id,
        params: { ...call.params, ...(traceparent === undefined ? {} : { _meta: { traceparent } }) },
      }));
      const named = header === undefined ? {} : { traceparent: header };
      const { text } = await conversation.answer(calls, 'k', { rights: 0 }, undefined, named);
      const parsed = JSON.parse(text) as Answer | readonly Answer[];
      const answers = [parsed].flat() as readonly Answer[];
      return sent.map((_, id) => answers.find((one) => one.id === id)?.result._meta?.traceparent);
    };
    // One request may carry several calls, each of its own trace.
    const all = [trace('a'), trace('b'), trace('c'), trace('c')];
    expect(await results(trace('c'), trace('a'), trace('b'), undefined, trace('0'))).toEqual(all);
    expect(asked).toEqual(all);
    expect(await results(undefined, trace('a'), 'none', 7)).toEqual([trace('a'), undefined, undefined]);
    expect(await results('none', undefined)).toEqual([undefined]);
    eventId = null;
    expect([await results(undefined, trace('a')), asked]).toEqual([[undefined], [trace('a')]]);
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
