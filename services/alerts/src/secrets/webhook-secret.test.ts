import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { seal, unseal } from '@countersign/process';
import { mintSecret, signedHeaders } from './webhook-secret.js';

const BODY = JSON.stringify({ type: 'violation.blocked', data: { reason: 'café' } });

describe('a webhook’s secret', () => {
  it('has 32 bytes after its prefix, and is different each time', () => {
    const secret = mintSecret();
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(mintSecret()).not.toBe(secret);
  });

  it('signs what receivers verify by Standard Webhooks, and nothing else', () => {
    const secret = mintSecret();
    const headers = signedHeaders('msg_1', BODY, secret, Date.now());
    const receiver = new Webhook(secret);
    expect(receiver.verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => receiver.verify(BODY.replace('café', 'cafe'), headers)).toThrow();
    expect(() => receiver.verify(BODY, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
    expect(() => new Webhook(mintSecret()).verify(BODY, headers)).toThrow();
    expect(() => receiver.verify(BODY, signedHeaders('msg_1', BODY, secret, Date.now() - 600_000))).toThrow();
  });

  it('is stored sealed, opens only with its key and for its owner, and not if it was altered', () => {
    const key = randomBytes(32);
    const secret = mintSecret();
    const sealed = seal(secret, key, 'owner');
    expect(Buffer.from(sealed, 'base64').includes(secret)).toBe(false);
    expect(unseal(sealed, key, 'owner')).toBe(secret);
    expect(() => unseal(sealed, key, 'another')).toThrow();
    expect(() => unseal(sealed, randomBytes(32), 'owner')).toThrow();
    const altered = Buffer.from(sealed, 'base64');
    altered[altered.length - 1]! ^= 1;
    expect(() => unseal(altered.toString('base64'), key, 'owner')).toThrow();
    expect(() => unseal('', key, 'owner')).toThrow();
  });
});
