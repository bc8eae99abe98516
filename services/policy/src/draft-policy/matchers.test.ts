import { hostsOf, matchersFor } from './matchers.js';

describe('hosts of addresses', () => {
  it.each([
    ['https://api.acme.com/v1', 'api.acme.com'],
    ['https://Acme.com./', 'acme.com.'],
    ['http://my_service:8080/', 'my_service'],
    ['https://10.0.0.1/', '10.0.0.1'],
    ['https://[2001:DB8::1]/', '[2001:db8::1]'],
  ])('%s: %s', (url, host) => {
    expect(hostsOf([url])).toEqual([host]);
  });

  it.each([
    'https://*.com/',
    'https://*/',
    'https://%2a.com/',
    "https://a'b.example/",
    "https://x');('/",
    'file:///a',
    'mailto:a@b.example',
    'text',
  ])('%s names none', (url) => {
    expect(hostsOf([url])).toEqual([]);
    const member = { path: 'page', values: Array.from({ length: 30 }, () => url), everywhere: true };
    const found = [...matchersFor(member, { allowance: 0, headroom: 1.5 })];
    expect(found.filter((matcher) => 'host_in' in matcher)).toEqual([]);
  });
});
