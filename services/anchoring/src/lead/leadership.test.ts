import { LeadEnded, type Lead } from '../store/port.js';
import { Leadership, type Active } from './leadership.js';

/** A store whose lead the test gives and takes. */
class Throne {
  readonly asked: { give: () => void; take: (reason: string) => void }[] = [];
  #wake: () => void = () => undefined;

  lead(signal: AbortSignal): Promise<Lead> {
    return new Promise((resolve, reject) => {
      let take: (reason: string) => void = () => undefined;
      const ended = new Promise<string>((end) => (take = end));
      this.asked.push({ give: () => resolve({ ended }), take });
      this.#wake();
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  async askedTimes(count: number): Promise<void> {
    while (this.asked.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

describe('Leadership', () => {
  const log = { info: () => undefined, warn: () => undefined };
  let throne: Throne;
  let events: string[];
  let leadership: Leadership<Active>;
  let failing: boolean;
  let refusal: Error | null;
  const turns = {
    begin: async () => {
      if (failing) throw new Error('the log is away');
      events.push('consume');
    },
    end: async () => void events.push('no longer consume'),
  };

  beforeEach(() => {
    [throne, events, failing, refusal] = [new Throne(), [], false, null];
    leadership = new Leadership(throne, log, () => {
      events.push('active');
      return {
        begin: async () => {
          if (refusal !== null) throw refusal;
        },
        problems: () => ['a problem'],
        stop: async () => void events.push('stopped'),
      };
    });
  });
  afterEach(() => leadership.stop());

  it('stands by until it leads: it is in order, and consumes nothing', async () => {
    await leadership.consumeBy(turns);
    expect(leadership.problems()).toEqual([]);
    expect(events).toEqual([]);
    expect(() => leadership.active).toThrow(LeadEnded);
    throne.asked[0]!.give();
    await settle();
    expect(events).toEqual(['active', 'consume']);
    expect(leadership.problems()).toEqual(['a problem']);
  });

  it('stops all when the lead is over, then asks for it again', async () => {
    await leadership.consumeBy(turns);
    throne.asked[0]!.give();
    await settle();
    throne.asked[0]!.take('another instance has taken over');
    await throne.askedTimes(2);
    expect(events).toEqual(['active', 'consume', 'no longer consume', 'stopped']);
    expect(leadership.leads).toBe(false);
    throne.asked[1]!.give();
    await settle();
    expect(events.slice(4)).toEqual(['active', 'consume']);
  });

  it('fails the start when it leads already and cannot consume', async () => {
    throne.asked[0]!.give();
    await settle();
    failing = true;
    await expect(leadership.consumeBy(turns)).rejects.toThrow('the log is away');
  });

  it('says why it cannot do what a leader does, and tries again', async () => {
    await leadership.consumeBy(turns);
    failing = true;
    throne.asked[0]!.give();
    await settle();
    expect(leadership.problems()).toEqual(['it cannot anchor: the log is away']);
    failing = false;
    await throne.askedTimes(2);
    throne.asked[1]!.give();
    await settle();
    expect(leadership.leads).toBe(true);
  });

  it('takes nothing while it may not begin, says why, and tries again', async () => {
    await leadership.consumeBy(turns);
    refusal = new Error('the store forgot');
    throne.asked[0]!.give();
    await settle();
    expect(events).toEqual(['active', 'stopped']);
    expect(leadership.leads).toBe(false);
    expect(leadership.problems()).toEqual(['it cannot anchor: the store forgot']);
    refusal = null;
    await throne.askedTimes(2);
    throne.asked[1]!.give();
    await settle();
    expect(events.slice(2)).toEqual(['active', 'consume']);
  });

  it('stops while it leads and while it waits', async () => {
    throne.asked[0]!.give();
    await settle();
    await leadership.stop();
    expect(events).toEqual(['active', 'stopped']);
    const waiting = new Leadership(new Throne(), log, () => ({
      begin: async () => undefined,
      problems: () => [],
      stop: async () => undefined,
    }));
    await waiting.stop();
    expect(waiting.leads).toBe(false);
  });
});
