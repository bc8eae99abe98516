import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const ANA = { id: '3b6f0c11-1c58-4a7e-8d1a-2f0c9f2f6a01', email: 'ana@example.com' };
const REQUESTED = 'Claim of a customer of 12 February 2026; counsel asked for all that the agent did';

const HOLD = {
  id: '01a20038-91aa-71c6-928d-4e46bb344f60',
  name: 'Case 2026-114',
  reason: REQUESTED,
  agents: [EXAMPLE.agent],
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-03-01T00:00:00.000Z',
  state: 'in_force',
  placedAt: EXAMPLE.at,
  placedBy: ANA,
  released: null,
};

const RELEASE_REASON = 'The claim was settled on 2 June 2026';
const RELEASED = {
  ...HOLD,
  state: 'released',
  released: { at: '2026-06-02T08:00:00.000Z', by: ANA, reason: RELEASE_REASON },
};

/** Legal holds. */
export const LEGAL_HOLD_NOTES: OperationNotes = {
  placeLegalHold: {
    body: {
      name: HOLD.name,
      reason: HOLD.reason,
      agents: HOLD.agents,
      from: HOLD.from,
      to: HOLD.to,
    },
    answers: { 201: HOLD },
    description:
      'An event is held by its agent and its `occurredAt`; what refers to a held event, such as its outcome or a comment about its approval, is not erased by hand either. From the answer on no erasure of what is held begins: by hand it is 409, and retention stops before the first event of an agent that is held. Where an erasure had begun just before, the answer waits for it for up to five seconds, and is `settling` if it has not ended: read the hold again. What was erased before stays erased. A hold keeps the content in the archive, not each copy: a stored report is withdrawn as before if other content that it opens is erased.',
  },
  listLegalHolds: {
    answers: { 200: { holds: [HOLD], total: 1, limit: 50, offset: 0 } },
    description:
      'For admins and auditors. Holds are never removed: each says who placed and who released it, when and why.',
  },
  getLegalHold: {
    answers: { 200: HOLD },
    description: 'For admins and auditors.',
  },
  releaseLegalHold: {
    body: { reason: RELEASE_REASON },
    answers: { 200: RELEASED },
    description:
      'Once, and for good: to hold the content again, place another hold. What no other hold keeps may be erased by hand from the answer on, and is erased by retention within minutes if it is due.',
  },
};
