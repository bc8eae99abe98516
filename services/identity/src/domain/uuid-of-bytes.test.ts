import { randomUUID } from 'node:crypto';
import { uuidOfBytes } from './uuid-of-bytes.js';

it('is the text of a UUID', () => {
  const id = randomUUID();
  expect(uuidOfBytes(Buffer.from(id.replaceAll('-', ''), 'hex'))).toBe(id);
});
