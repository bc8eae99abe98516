import { namesUser, readServerAddress } from './server-address.js';

describe('the address of a server', () => {
  it.each([
    ['https://a.example/mcp?b=c', 'https://a.example/mcp?b=c', {}],
    ['http://user:pa%3Ass@a.example/mcp', 'http://a.example/mcp', { Authorization: 'Basic dXNlcjpwYTpzcw==' }],
    ['http://token@a.example', 'http://a.example/', { Authorization: 'Basic dG9rZW46' }],
    ['http://:p%C3%A4ss@a.example', 'http://a.example/', { Authorization: 'Basic OnDDpHNz' }],
  ])('%s becomes an address and a header', (text, url, headers) => {
    const read = readServerAddress(text, { 'x-own': 'a' });
    expect(read).toEqual({ url: new URL(url), headers: { 'x-own': 'a', ...headers } });
  });

  it.each([
    ['ftp://user:secret@a.example', {}, /http or https/u],
    ['http://user:secret@a.example:port', {}, /http or https/u],
    ['user:secret@a.example', {}, /http or https/u],
    ['http://us%3Aer:secret@a.example', {}, /user name and password/u],
    ['http://user:secret%zz@a.example', {}, /user name and password/u],
    ['http://user:secret@a.example', { authorization: 'Bearer secret' }, /one of them/u],
  ])('%s with %j is refused without repeating a secret', (text, headers, message) => {
    const said = readServerAddress(text, headers);
    expect(said).toMatch(message);
    expect(said).not.toContain('secret');
  });

  it('is recognized as one that names a user', () => {
    const addresses = ['http://a.example/@', 'http://u@a.example', 'http://:p@a.example', 'http://u:p@', 'b'];
    expect(addresses.map(namesUser)).toEqual([false, true, true, true, false]);
  });
});
