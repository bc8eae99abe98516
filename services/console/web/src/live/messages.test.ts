import { messageReader } from './messages.js';
import type { LiveMessage } from './messages.js';

describe('messages of the feed', () => {
  const sent =
    'retry: 2000\nid: 0.5\nevent: hello\ndata: {"asOf":"2026-03-01T00:00:00.000Z","resumed":false}\n\n' +
    ': still here\n\nevent: events\ndata: {"events":[],"skipped":3}\n\nevent: inbox\ndata: {\n\nevent: inbox\ndata: {"openCount":1}\n\nevent: bye';

  it.each([1, 2, 7, 1000])('are read from pieces of %s characters', (length) => {
    const found: LiveMessage[] = [];
    const read = messageReader((message) => found.push(message));
    for (let at = 0; at < sent.length; at += length) read(sent.slice(at, at + length));
    expect(found).toEqual([
      { id: '0.5', name: 'hello', data: { asOf: '2026-03-01T00:00:00.000Z', resumed: false } },
      { id: null, name: 'events', data: { events: [], skipped: 3 } },
      { id: null, name: 'inbox', data: { openCount: 1 } },
    ]);
  });
});
