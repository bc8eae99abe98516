import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorityKey, AuthorityKeyDamaged, AuthorityKeyMissing } from './authority-key.js';

describe('authorityKey', () => {
  const directory = mkdtempSync(join(tmpdir(), 'authority-'));
  const file = join(directory, 'authority.json');
  const none = async (): Promise<null> => null;
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is not made where one is published', async () => {
    const key = authorityKey(directory, async () => 'an address');
    await expect(key).rejects.toThrow(AuthorityKeyMissing);
    await expect(key).rejects.toThrow(`an address, and its key ${file} is missing`);
    expect(existsSync(file)).toBe(false);
  });

  it('is made once, for its owner alone', async () => {
    const key = await authorityKey(directory, none);
    expect(key.secretKey).toHaveLength(64);
    expect(await authorityKey(directory, none)).toEqual(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', '[]', '[1,2,3]', JSON.stringify(Array.from({ length: 64 }, () => 7))])(
    'refuses a damaged file and leaves it as it is: %s',
    async (text) => {
      writeFileSync(file, text);
      await expect(authorityKey(directory, none)).rejects.toThrow(AuthorityKeyDamaged);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );
});
