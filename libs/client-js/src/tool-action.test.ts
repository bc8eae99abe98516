import { ActionDeniedError } from './action-denied.js';
import { toolCallAction } from './tool-action.js';

describe('the action of a tool call', () => {
  it('is a tool_use with the arguments unchanged', () => {
    const input = { order: '17' };
    const action = toolCallAction({ toolName: 'refund', input, metadata: { toolCallId: 'c' } });
    expect(action).toEqual({
      actionType: 'tool_use',
      toolName: 'refund',
      payload: input,
      metadata: { toolCallId: 'c' },
    });
    expect(action.payload).toBe(input);
    expect(toolCallAction({ toolName: 'now', input: undefined })).toEqual({ actionType: 'tool_use', toolName: 'now' });
  });

  it('repeats the url among its arguments, or has that of the caller instead', () => {
    const input = { Url: new URL('https://a.example/'), uri: 'https://c.example/' };
    expect(toolCallAction({ toolName: 'fetch', input })).toMatchObject({ url: 'https://a.example/' });
    for (const none of [{ to: 'https://a.example/' }, { url: `https://a.example/${'x'.repeat(65_536)}` }, ['x'], 'x']) {
      expect(toolCallAction({ toolName: 'fetch', input: none })).not.toHaveProperty('url');
    }
    const own = { url: 'https://b.example/' };
    expect(toolCallAction({ toolName: 'fetch', input: { url: ['https://b.example/'] } }, own)).toMatchObject(own);
    expect(
      toolCallAction({ toolName: 'fetch', input: { url: 1n } }, { payload: { url: 'https://a.example/' } }),
    ).toEqual({
      actionType: 'tool_use',
      toolName: 'fetch',
      url: 'https://a.example/',
      payload: { url: 'https://a.example/' },
    });
  });

  it('has the value of a long JSON text in its place, since pieces of it could not be parsed', () => {
    const value = { url: 'https://a.example/', content: 'x'.repeat(200_000), more: 'y'.repeat(100_000) };
    const { payload } = toolCallAction({ toolName: 'write', input: JSON.stringify(value) });
    expect(payload).toEqual(value);
  });

  it('has overlapping pieces of a text that is too long for a check, and leaves nothing out', () => {
    const text = 'é€😀x'.repeat(40_000);
    const input = { 'a/b~c': [text], short: 'y'.repeat(262_144) };
    const { payload, metadata } = toolCallAction({ toolName: 'write', input, metadata: { source: 's' } });
    expect(metadata).toEqual({ source: 's', inPieces: ['/a~1b~0c/0'] });
    const made = payload as { 'a/b~c': [string[]]; short: string };
    expect(made.short).toBe(input.short);
    const [pieces] = made['a/b~c'];
    for (const piece of pieces) expect(new TextEncoder().encode(piece).length).toBeLessThanOrEqual(262_144);
    const [first, ...rest] = pieces;
    expect([first, ...rest.map((piece) => [...piece].slice(4_000).join(''))].join('')).toBe(text);
  });

  it('is refused if it is too large for a check', () => {
    const input = { content: 'x'.repeat(1_100_000) };
    expect(() => toolCallAction({ toolName: 'write', input })).toThrow(ActionDeniedError);
    expect(() => toolCallAction({ toolName: 'write', input })).toThrow(/take \d+ bytes, and a check takes 1047552/u);
    expect(toolCallAction({ toolName: 'write', input }, { payload: { sha256: 'ab' } })).toMatchObject({
      payload: { sha256: 'ab' },
    });
  });
});
