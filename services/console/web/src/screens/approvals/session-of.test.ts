import { sessionOf } from './session-of.js';

describe('sessionOf', () => {
  it('is the session of the metadata, and nothing else', () => {
    expect(sessionOf({ type: 'tool_use', metadata: { session: 's-1' } })).toBe('s-1');
    for (const action of [null, undefined, 'text', [], {}, { session: 's-1' }, { metadata: null }]) {
      expect(sessionOf(action)).toBeNull();
    }
    for (const session of ['', 7, null, {}]) expect(sessionOf({ metadata: { session } })).toBeNull();
    expect(sessionOf({ metadata: Object.create({ session: 'inherited' }) as object })).toBeNull();
  });
});
