import { CLAIM_BOUNDS, CLAIM_MS } from '../port.js';
import { ClaimBook } from './claim-book.js';
import type { Claim } from './claim-book.js';

const claim = (name: string, atMs: number): Claim => {
  return {
    name,
    accountId: 'account',
    atMs,
    bodySha256: 'b',
    agentId: 'a',
    frozen: false,
    allowedBy: 1,
    judgement: null,
    answer: null,
    attempts: 1,
    former: null,
  };
};

describe('the claim book', () => {
  it('drops all in time, in small steps, whatever was put again or dropped meanwhile', () => {
    const book = new ClaimBook(CLAIM_BOUNDS);
    for (let n = 0; n < 1000; n++) book.put(claim(`c${n}`, n));
    for (let n = 0; n < 100; n++) book.put(claim(`c${n}`, 2000));
    for (let n = 100; n < 200; n++) book.drop(`c${n}`);
    expect(book.size).toBe(900);
    book.expire(1500 + CLAIM_MS);
    expect(book.size).toBeGreaterThan(800);
    for (let step = 0; step < 40; step++) book.expire(1500 + CLAIM_MS);
    expect(book.size).toBe(100);
    for (let step = 0; step < 5; step++) book.expire(2000 + CLAIM_MS);
    expect(book.size).toBe(0);
    book.put(claim('later', 3000));
    book.expire(3000 + CLAIM_MS);
    expect(book.size).toBe(0);
  });

  it('finds none that has expired, and expires by time after sorting', () => {
    const book = new ClaimBook(CLAIM_BOUNDS);
    book.put(claim('new', 100));
    book.put(claim('old', 1));
    expect(book.get('old', CLAIM_MS)).toBeDefined();
    expect(book.get('old', CLAIM_MS + 1)).toBeUndefined();
    book.sort();
    book.expire(CLAIM_MS + 1);
    expect(book.size).toBe(1);
    expect(book.get('new', CLAIM_MS + 1)).toBeDefined();
  });
});
