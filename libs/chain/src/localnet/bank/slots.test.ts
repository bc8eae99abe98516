import fc from 'fast-check';
import { encodeBase58 } from '../../base58.js';
import { BLOCKHASH_LIFE, SLOT_MS, Slots } from './slots.js';

const genesisHash = encodeBase58(new Uint8Array(32).fill(7));

function setUp(options: { afterSlot?: number; afterSeconds?: number; finalityMs?: number; wallMs?: number } = {}) {
  const time = { wall: options.wallMs ?? 0, monotonic: 5_000 };
  const clock = { wallMs: () => time.wall, monotonicMs: () => time.monotonic };
  const { afterSlot = 0, afterSeconds = 0, finalityMs = 1000 } = options;
  const slots = new Slots({ genesisHash, genesisMs: 0, afterSlot, afterSeconds, finalityMs, clock });
  return { slots, pass: (count: number) => (time.monotonic += count * SLOT_MS), time };
}

describe('slots', () => {
  it('advance with the monotonic time and not with the wall clock', () => {
    const { slots, pass, time } = setUp();
    expect(slots.at('processed')).toBe(1);
    pass(2.5);
    expect(slots.at('processed')).toBe(3);
    time.wall = 1e9;
    expect(slots.at('processed')).toBe(3);
  });

  it('continue after the last slot of the ledger even when the wall clock was set back', () => {
    expect(setUp({ afterSlot: 500, wallMs: 0 }).slots.at('processed')).toBe(501);
    expect(setUp({ afterSlot: 500, wallMs: 1000 * SLOT_MS }).slots.at('processed')).toBe(1000);
  });

  it('bring a transaction from processed over confirmed to finalized', () => {
    const { slots, pass } = setUp();
    const slot = slots.at('processed');
    const seen = [slots.commitmentOf(slot)];
    for (let i = 0; i < 3; i++) {
      pass(1);
      seen.push(slots.commitmentOf(slot));
    }
    expect(seen).toEqual(['processed', 'confirmed', 'confirmed', 'finalized']);
    expect(setUp({ finalityMs: 0 }).slots.commitmentOf(1)).toBe('finalized');
  });

  it('let a blockhash be used for 150 blocks and no longer', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 12 }), fc.nat(300), (steps, start) => {
        const { slots, pass } = setUp({ afterSlot: start });
        const known: { slot: number; hash: string }[] = [];
        for (const step of steps) {
          const now = slots.at('processed');
          known.push({ slot: now, hash: slots.blockhash(now) });
          pass(step);
          const later = slots.at('processed');
          for (const { slot, hash } of known) {
            expect(slots.usable(hash)).toBe(later - slot <= BLOCKHASH_LIFE ? slot : null);
          }
          expect(slots.usable(slots.blockhash(later + 1))).toBeNull();
        }
      }),
    );
  });

  it('let the first finalized blockhash of a new network be used', () => {
    const { slots } = setUp();
    expect(slots.usable(slots.blockhash(slots.at('finalized')))).toBe(0);
  });

  it('have block times that never decrease: after the clock was set back they stay until it has caught up', () => {
    const { slots, time } = setUp({ wallMs: 100_000, afterSeconds: 105 });
    expect(slots.blockTimeSeconds()).toBe(105);
    time.wall = 107_900;
    expect(slots.blockTimeSeconds()).toBe(107);
    time.wall = 50_000;
    expect(slots.blockTimeSeconds()).toBe(107);
    time.wall = 108_000;
    expect(slots.blockTimeSeconds()).toBe(108);
  });

  it('give different hashes to different networks', () => {
    const other = encodeBase58(new Uint8Array(32).fill(8));
    const clock = { wallMs: () => 0, monotonicMs: () => 0 };
    const elsewhere = new Slots({
      genesisHash: other,
      genesisMs: 0,
      afterSlot: 0,
      afterSeconds: 0,
      finalityMs: 0,
      clock,
    });
    expect(elsewhere.blockhash(9)).not.toBe(setUp().slots.blockhash(9));
    expect(
      () => new Slots({ genesisHash: 'x', genesisMs: 0, afterSlot: 0, afterSeconds: 0, finalityMs: 0, clock }),
    ).toThrow(RangeError);
  });
});
