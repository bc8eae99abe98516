import { ownAddress } from './own-address.js';

const FILES = { certFile: '/cert', keyFile: '/key' };

describe('the address at which a process reaches its own routes', () => {
  it.each([
    [{ host: '127.0.0.1', port: 8080, publicUrl: null }, 'http://public:1'],
    [{ host: '127.0.0.1', port: 0, publicUrl: 'https://api.example' }, 'http://public:1'],
    [{ host: '0.0.0.0', port: 8080, publicUrl: 'https://api.example' }, 'http://127.0.0.1:8080'],
    [{ host: '10.0.0.7', port: 8080, publicUrl: 'https://api.example' }, 'http://10.0.0.7:8080'],
    [{ host: '::1', port: 8080, publicUrl: 'https://api.example' }, 'http://[::1]:8080'],
    [{ host: '::', port: 8443, publicUrl: 'https://api.example', tls: FILES }, 'https://127.0.0.1:8443'],
  ])('%j: %s', (config, expected) => {
    expect(ownAddress({ tls: null, ...config }, () => 'http://public:1')).toBe(expected);
  });
});
