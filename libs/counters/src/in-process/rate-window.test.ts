import fc from 'fast-check';
import { RateWindow } from './rate-window.js';

const timesOf = (window: RateWindow) => Array.from({ length: window.count }, (_, index) => window.at(index));

describe('the rate window', () => {
  it('does what a sorted array does', () => {
    const command = fc.oneof(
      { weight: 5, arbitrary: fc.record({ add: fc.nat(500) }) },
      { weight: 1, arbitrary: fc.record({ remove: fc.nat(500) }) },
      { weight: 1, arbitrary: fc.record({ trim: fc.nat(600), windowMs: fc.nat(400) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
        const window = new RateWindow();
        let model: number[] = [];
        for (const one of commands) {
          if ('add' in one) {
            window.add(one.add);
            model = [...model, one.add].sort((a, b) => a - b);
          } else if ('remove' in one) {
            window.remove(one.remove);
            const index = model.indexOf(one.remove);
            if (index >= 0) model.splice(index, 1);
          } else {
            window.trim(one.trim, one.windowMs);
            model = model.filter((time) => one.trim - time < one.windowMs);
          }
          expect(timesOf(window)).toEqual(model);
          expect(window.newest).toBe(model.at(-1) ?? -Infinity);
        }
      }),
    );
  });

  it('keeps the 100,000 newest', () => {
    const window = new RateWindow();
    for (let time = 0; time < 250_000; time++) window.add(time);
    expect(window.count).toBe(100_000);
    expect(window.at(0)).toBe(150_000);
    expect(window.newest).toBe(249_999);
    window.trim(250_000, 10);
    expect(timesOf(window)).toEqual([249_991, 249_992, 249_993, 249_994, 249_995, 249_996, 249_997, 249_998, 249_999]);
  });
});
