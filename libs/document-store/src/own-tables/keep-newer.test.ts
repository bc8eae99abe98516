import { keepNewer } from './keep-newer.js';

const duplicates = (...indexes: readonly number[]): Error =>
  Object.assign(new Error('bulk'), { writeErrors: indexes.map((index) => ({ code: 11000, index })) });

describe('guarded upserts', () => {
  it('are tried once more where they met their own id, and those alone', async () => {
    const asked: string[][] = [];
    const bulkWrite = async (writes: string[]): Promise<void> => {
      asked.push(writes);
      throw duplicates(...(asked.length === 1 ? [0, 2] : [0]));
    };
    await keepNewer({ bulkWrite }, ['a', 'b', 'c']);
    expect(asked).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
  });

  it('fail for anything else, and ask nothing for nothing', async () => {
    const bulkWrite = async (): Promise<void> => Promise.reject(new Error('gone'));
    await expect(keepNewer({ bulkWrite }, ['a'])).rejects.toThrow('gone');
    await keepNewer({ bulkWrite }, []);
  });
});
