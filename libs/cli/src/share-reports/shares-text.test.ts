import type { ShareRecord } from '@countersign/contracts';
import { newShareText, secondsOf, sharesText } from './shares-text.js';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const share: ShareRecord = {
  ...{ id: 's1', reportId: 'r1', form: 'pdf', note: null, createdAt: '2026-03-01T00:00:00.000Z' },
  ...{ createdBy: { id: 'u', email: 'ana@example.com' }, expiresAt: '2026-03-03T00:00:00.000Z', revokedAt: null },
  ...{ withdrawn: false, fetches: 0, lastFetchAt: null, log: [] },
};

it('takes hours and days, and no other time', () => {
  expect([secondsOf('12h'), secondsOf('7d')]).toEqual([43_200, 604_800]);
  for (const text of ['7', '7w', '-1d', '1.5h', '', '1d ']) expect(() => secondsOf(text)).toThrow('is no time');
});

it('prints a link alone on its line', () => {
  const url = 'https://countersign.example/v1/shared/abc';
  const [first, second] = newShareText({ ...share, url }).split('\n');
  expect([first, second]).toEqual([url, 'pdf, until 2026-03-03T00:00:00.000Z; link s1. It is not shown again.']);
});

it('lists links with their state, and what they hold that a terminal would obey is visible', () => {
  const at = '2026-03-02T11:00:00.000Z';
  const fetched = { fetches: 2, lastFetchAt: at, log: [{ at, address: '192.0.2.7' }], note: 'for\u001b[2JAnn' };
  const text = sharesText(
    [
      { ...share, ...fetched },
      { ...share, expiresAt: '2026-03-02T12:00:00.000Z' },
      { ...share, revokedAt: at },
      { ...share, withdrawn: true },
    ],
    6,
    NOW,
  );
  const [valid, ended, revoked, withdrawn, more] = text.split('\n');
  expect(valid).toContain(`2 fetches, last ${at} from 192.0.2.7  by ana@example.com  for\\u001b[2JAnn`);
  expect(valid).toContain('  valid      pdf');
  expect(ended).toContain('  ended      pdf');
  expect(revoked).toContain('  revoked    pdf');
  expect(withdrawn).toContain('  withdrawn  pdf');
  expect(more).toBe('and 2 older ones');
  expect(sharesText([], 0, NOW)).toBe('no links\n');
});
