import { ActionDeniedError } from './action-denied.js';
import { toolCallAction } from './tool-action.js';
import { severalAddressesHint } from './tool-address.js';

describe('the action of a tool call', () => {
  it('is a tool_use with the arguments as they came', () => {
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

  it('has the address that a value makes text of, and the one that the caller says instead', () => {
    const input = { target: new URL('https://a.example/'), more: new Map([['to', 'https://a.example/']]) };
    expect(toolCallAction({ toolName: 'fetch', input })).toMatchObject({ url: 'https://a.example/' });
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

  it('has words for an address that is too long, and for several', () => {
    const { url } = toolCallAction({ toolName: 'fetch', input: { url: `https://a.example/${'x'.repeat(65_536)}` } });
    expect(url).toBe('an address of more than 65536 characters');
    expect(severalAddressesHint('2 addresses in one call')).toContain('make a call for each');
    expect(severalAddressesHint('https://a.example/')).toBe('');
  });

  it('has the pieces of a text that is longer than a check takes, of which nothing is left out', () => {
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

  it('is refused where it is larger than a check', () => {
    const input = { content: 'x'.repeat(1_100_000) };
    expect(() => toolCallAction({ toolName: 'write', input })).toThrow(ActionDeniedError);
    expect(() => toolCallAction({ toolName: 'write', input })).toThrow(/take \d+ bytes, and a check takes 1047552/u);
    expect(toolCallAction({ toolName: 'write', input }, { payload: { sha256: 'ab' } })).toMatchObject({
      payload: { sha256: 'ab' },
    });
  });
});
