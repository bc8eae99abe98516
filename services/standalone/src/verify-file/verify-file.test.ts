import { verifyFile } from './verify-file.js';

const AUTHORITY = '11111111111111111111111111111111';

describe('what verify is given', () => {
  it.each([
    ['an address that is none', { rpcUrls: ['nope'], authorities: [] }, '--rpc must be'],
    ['another protocol', { rpcUrls: ['ws://127.0.0.1:8899'], authorities: [] }, '--rpc must be'],
    ['an authority of another form', { rpcUrls: ['http://127.0.0.1:1'], authorities: ['111'] }, '--authority must be'],
    ['an authority without a chain', { rpcUrls: [], authorities: [AUTHORITY] }, '--authority needs --rpc'],
    ['a key that is not there', { rpcUrls: [], authorities: [], keys: ['/nowhere/key.pem'] }, 'cannot read the key'],
    ['a file that is not there', { rpcUrls: ['http://127.0.0.1:1'], authorities: [AUTHORITY] }, 'cannot read the file'],
  ])('is a wrong use with %s, not a wrong file', async (_what, given, words) => {
    await expect(verifyFile({ file: '/nowhere/report.json', keys: [], ...given })).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(words),
    });
  });
});
