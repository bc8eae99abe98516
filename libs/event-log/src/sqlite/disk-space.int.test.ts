import { tmpdir } from 'node:os';
import { DiskSpace } from './disk-space.js';

it('is short below the reserve, checks again only after a moment, and never where the size is unknown', () => {
  let now = 0;
  const clock = (): number => now;
  const short = new DiskSpace(tmpdir(), Number.MAX_SAFE_INTEGER, clock);
  expect(short.shortage()).toContain(`the disk of ${tmpdir()} is full`);
  now += 1000;
  expect(short.shortage()).toContain('are needed');
  expect(new DiskSpace(tmpdir(), 0, clock).shortage()).toBeNull();
  expect(new DiskSpace('/not/there', Number.MAX_SAFE_INTEGER, clock).shortage()).toBeNull();
});
