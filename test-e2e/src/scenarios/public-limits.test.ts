import { Instance } from '../instance/instance.js';

describe('the rate limit of the public routes', () => {
  it('applies per address, whatever a caller says of its address, and to nothing else', async () => {
    const instance = await Instance.start({ env: { COUNTERSIGN_PUBLIC_REQUESTS_PER_MINUTE: '4' } });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        const address = `192.0.2.${i}`;
        const headers = {
          'x-forwarded-for': address,
          'x-real-ip': address,
          forwarded: `for=${address}`,
          'x-countersign-client-address': address,
        };
        statuses.push((await instance.request('GET', '/v1/verify/CSN-0000-0000-0000-0000', { headers })).status);
      }
      // The allowance refills meanwhile: a fifth may have been granted by then.
      expect(statuses.slice(0, 4)).toEqual([404, 404, 404, 404]);
      expect(statuses).toContain(429);
      const body = { event: {}, proof: {} };
      const refused = await instance.request('POST', '/v1/inclusion/verify', { body });
      expect([refused.status, refused.json]).toEqual([429, { error: expect.any(String) }]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await instance.check({ type: 'a' })).status).toBe(200);
    } finally {
      await instance.discard();
    }
  });
});
