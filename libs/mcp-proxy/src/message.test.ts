import { readMessage } from './message.js';

const call = '"method":"tools/call","params":{"name":"a"}';

describe('a line of the protocol', () => {
  it.each([
    ['a request', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { kind: 'request', id: 1, method: 'ping' }],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/x"}', { kind: 'notification' }],
    ['a result', '{"jsonrpc":"2.0","id":"a","result":{}}', { kind: 'response', id: 'a' }],
    ['an error', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}', { kind: 'response', id: null }],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"x/y","z":[1]}', { method: 'x/y' }],
    ['a method that is written with an escape', '{"id":1,"method":"tools\\/call"}', { method: 'tools/call' }],
  ])('%s passes unchanged', (_, line, expected) => {
    expect(readMessage(line)).toMatchObject({ ...expected, text: line });
  });

  it.each([
    [
      'numbers that a double cannot represent',
      '{"id":1,"method":"x","params":{"n":12345678901234567890,"m":1.0,"k":1e5}}',
    ],
    ['spaces, and names in an order of their own', '{ "method" : "x", "params":{"2":1,"1":{"a":"\\"b\\" : \\\\"}} }'],
  ])('%s stay', (_, line) => {
    expect(readMessage(line)).toMatchObject({ text: line });
  });

  it.each([
    ['the last of two methods', `{"id":1,"method":"ping",${call}}`, `{"id":1,${call}}`],
    ['the last of two names', `{"id":1,${call.replace('{', '{"name":"b",')}}`, `{"id":1,${call}}`],
    ['one that is written in two ways', `{"id":1,"\\u006dethod":"ping",${call}}`, `{"id":1,${call}}`],
    [
      'what some readers take for a line end',
      '{"id":1,"method":"x\u2028\u2029\u0085"}',
      '{"id":1,"method":"x\\u2028\\u2029\\u0085"}',
    ],
    ['text after a carriage return', `{"id":1,\r${call}}`, `{"id":1,${call}}`],
  ])('is serialized again with %s', (_, line, text) => {
    expect(readMessage(line)).toMatchObject({
      kind: 'request',
      text,
      method: (JSON.parse(text) as { method: string }).method,
    });
  });

  it.each([
    ['no JSON', 'hello', null, -32_700],
    ['a word', '"tools/call"', null, -32_600],
    ['an empty batch', '[]', null, -32_600],
    ['another spelling of a method', `{"id":1,"method":"Tools/Call"}`, 1, -32_601],
    ['a method with a space', `{"id":1,"method":" tools/call"}`, 1, -32_601],
    ['a method with invisible characters', `{"id":1,"method":"tools\u200b/call\\u0000"}`, 1, -32_601],
    ['a method in wide letters', `{"id":1,"method":"ｔools/call"}`, 1, -32_601],
    ['a second spelling of a member', `{"id":1,"method":"ping","Method":"tools/call"}`, 1, -32_600],
    ['a second spelling by Unicode', `{"id":1,"method":"ping","paramſ":{}}`, 1, -32_600],
    ['a method that is not a string', `{"id":1,"method":["tools/call"]}`, 1, -32_600],
    ['a request and an answer in one', `{"id":1,"result":{},${call}}`, 1, -32_600],
    ['an id that is null', `{"id":null,${call}}`, null, -32_600],
    ['an id that some readers round', `{"id":9007199254740993,${call}}`, null, -32_600],
    ['an id that is an object', `{"id":{"a":1},${call}}`, null, -32_600],
    ['neither', '{"id":1}', 1, -32_600],
    ['a result and an error', '{"id":1,"result":{},"error":{"code":1,"message":""}}', null, -32_600],
    ['an invalid error, and no result', '{"id":1,"result":null,"error":1}', null, -32_600],
  ])('is refused: %s', (_, line, id, code) => {
    expect(readMessage(line)).toMatchObject({ kind: 'refused', id, code, why: expect.any(String) });
  });

  it.each([
    [
      '{"error":null,"result":{"n":12345678901234567890,"error":null},"id":1}',
      '{"result":{"n":12345678901234567890,"error":null},"id":1}',
    ],
    ['{ "id" : 1 , "result" : ["}",{"a":[1.0]}], "\\u0065rror" : null }', '{ "id" : 1 , "result" : ["}",{"a":[1.0]}]}'],
    [
      '{"id":1,"result":null,"error":{"code":1,"message":"\\"result\\":","data":1e5}}',
      '{"id":1,"error":{"code":1,"message":"\\"result\\":","data":1e5}}',
    ],
    ['{"id":1,"result":null,"error":null}', '{"id":1,"result":null}'],
  ])('is an answer with the non-null member, with its text unchanged: %s', (line, text) => {
    expect(readMessage(line)).toEqual({ kind: 'response', id: 1, value: JSON.parse(text), text });
  });

  it('is refused if it is nested too deeply to be serialized', () => {
    const deep = `{"id":1,\r"method":"x","params":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(readMessage(deep)).toMatchObject({ kind: 'refused' });
  });

  it('holds the parts of a batch', () => {
    expect(readMessage(`[{"id":1,${call}},{"method":"x"},3]`)).toMatchObject({
      kind: 'batch',
      parts: [{ kind: 'request', text: `{"id":1,${call}}` }, { kind: 'notification' }, { kind: 'refused' }],
    });
  });
});
