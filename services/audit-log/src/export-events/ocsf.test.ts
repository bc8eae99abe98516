import type { StoredEvent } from '../domain/event-record.js';
import { ACCOUNT, denied, envelope } from '../testing/envelopes.js';
import { ocsf } from './ocsf.js';

describe('an export as OCSF', () => {
  it('has one line for each event, whatever line breaks it holds', () => {
    const { leaf, openings } = envelope(1);
    const event = { sequence: 7, leaf: { ...leaf, reason: 'a\nb\u2028c\r' }, openings, anchored: true };
    const text = ocsf(ACCOUNT).write([event, event]);
    expect(text.split('\n')).toHaveLength(3);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('has a fingerprint in each, no chain, and says what is anchored', () => {
    const { leaf, openings } = denied(2);
    const event: StoredEvent = { sequence: 8, leaf, openings, anchored: true };
    expect(JSON.parse(ocsf(ACCOUNT).write([event]))).toMatchObject({
      metadata: { version: '1.9.0', uid: leaf.eventId },
      unmapped: { anchored: true },
      attestation_list: [{ fingerprint: { algorithm_id: 3, value: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    });
    expect(ocsf(ACCOUNT).write([event])).not.toContain('chain_uid');
  });
});
