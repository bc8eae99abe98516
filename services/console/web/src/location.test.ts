import { holdBack, holdPlace } from './location.js';

describe('a place that is held', () => {
  it('is held again if it could not be left, unless it has ended', () => {
    const asked: string[] = [];
    const kept = (name: string) => ({
      covers: () => false,
      ask: (leave: () => void) => {
        asked.push(name);
        leave();
      },
    });
    let stay = (): void => undefined;
    const leave = (held: () => void): void => {
      stay = held;
    };
    const end = holdPlace(kept('form'));
    holdBack(leave);
    holdBack(() => undefined);
    expect(asked).toEqual(['form']);
    holdPlace(kept('other'))();
    stay();
    holdBack(leave);
    expect(asked).toEqual(['form', 'form']);
    end();
    stay();
    holdBack(() => undefined);
    expect(asked).toEqual(['form', 'form']);
  });
});
