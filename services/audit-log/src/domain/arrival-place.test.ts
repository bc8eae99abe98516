import { distance, placeOfOffsets, placeOfText, runsBetween, textOfPlace, towards } from './arrival-place.js';

describe('a place of arrival', () => {
  const [a, b] = [placeOfOffsets({ 1: 5, 0: 10 }), placeOfOffsets({ 0: 12, 1: 5, 2: 40 })];

  it('is before another one, or of another store', () => {
    expect(runsBetween(a, b)).toEqual([
      { partition: 0, from: 10, to: 12 },
      { partition: 2, from: 0, to: 40 },
    ]);
    expect([distance(a, b), distance(a, a), distance(b, a)]).toEqual([42, 0, null]);
  });

  it('is reached in strides, each message once', () => {
    let place = a;
    const places = [];
    for (; distance(place, b) !== 0; place = towards(place, b, 15)) places.push(place);
    expect([places.length, place]).toEqual([3, b]);
  });

  it('is a text for clients, and other texts are none', () => {
    for (const place of [a, b]) expect(placeOfText(textOfPlace(place))).toEqual(place);
    for (const text of ['', '1', '1.2.3', '-1.2', 'a.b', '1.2 ', '1..2', `0.${'9'.repeat(16)}`, '1.2.'.repeat(300)]) {
      expect([text, placeOfText(text)]).toEqual([text, null]);
    }
  });
});
