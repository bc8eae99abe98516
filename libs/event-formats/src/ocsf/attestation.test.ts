import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { ACCOUNT, checked, denied, other } from '../testing/events.js';
import { attested, type ChainLink } from './attestation.js';
import { ocsfEvent } from './ocsf-event.js';

interface Fingerprint {
  readonly algorithm_id: number;
  readonly serialization_id: number;
  readonly encoding_id: number;
  readonly value: string;
}

interface Attestation {
  readonly fingerprint?: Fingerprint;
  readonly chain_uid?: string;
  readonly prev_event?: { readonly uid: string; readonly fingerprint: Fingerprint };
}

interface Received {
  readonly metadata: { readonly uid: string };
  readonly attestation_list: readonly [Attestation];
  readonly [attribute: string]: unknown;
}

/** Computes the fingerprint as OCSF says it, with a JCS that is not ours: knows nothing of who sent the event. */
function recomputed(line: string): { readonly said: string | undefined; readonly computed: string } {
  const event = JSON.parse(line) as Received;
  const { fingerprint, ...rest } = event.attestation_list[0];
  expect([fingerprint?.algorithm_id, fingerprint?.serialization_id, fingerprint?.encoding_id]).toEqual([3, 2, 1]);
  const text = canonicalize({ ...event, attestation_list: [rest] });
  return { said: fingerprint?.value, computed: createHash('sha256').update(text, 'utf8').digest('hex') };
}

function chain(): readonly string[] {
  let previous: ChainLink | null = null;
  return [checked(1), denied(2, { reason: 'é\u2028 "\\' }), other(3, 'agent.frozen')].map((event) => {
    const done: ReturnType<typeof attested> = attested(ocsfEvent(event, ACCOUNT), {
      chainUid: 'stream/agent',
      previous,
    });
    previous = done.link;
    return JSON.stringify(done.event);
  });
}

describe('the attestation of an OCSF event', () => {
  it('has a fingerprint that a reader of OCSF computes again', () => {
    for (const line of [...chain(), JSON.stringify(attested(ocsfEvent(checked(1), ACCOUNT), null).event)]) {
      const { said, computed } = recomputed(line);
      expect(said).toBe(computed);
    }
  });

  it('shows any member that was altered', () => {
    for (const line of chain()) {
      const event = JSON.parse(line) as Received;
      const altered = [
        { ...event, message: 'fine' },
        { ...event, extra: 1 },
        { ...event, attestation_list: [{ ...event.attestation_list[0], chain_uid: 'another' }] },
        { ...event, attestation_list: [{ ...event.attestation_list[0], prev_event: { uid: 'another' } }] },
      ];
      for (const other of altered) {
        const { said, computed } = recomputed(JSON.stringify(other));
        expect(said).not.toBe(computed);
      }
    }
  });

  it('refers to the event before it, so that a missing one shows', () => {
    const events = chain().map((line) => JSON.parse(line) as Received);
    expect(events[0]!.attestation_list[0]).not.toHaveProperty('prev_event');
    for (const [index, event] of events.entries()) {
      const before = events[index - 1];
      const [{ chain_uid, prev_event }] = event.attestation_list;
      expect(chain_uid).toBe('stream/agent');
      expect(prev_event?.uid).toBe(before?.metadata.uid);
      expect(prev_event?.fingerprint).toEqual(before?.attestation_list[0].fingerprint);
    }
  });
});
