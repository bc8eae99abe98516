/** Injection tokens of the controllers. */
export const ACKNOWLEDGEMENTS = Symbol('acknowledgements');
export const STORE = Symbol('event store');
export const CLOCK = Symbol('clock');
export const EVENT_INTAKE = Symbol('event intake');
export const ANCHOR_INTAKE = Symbol('anchor intake');
export const ERASURE = Symbol('erasure');
export const FOLLOW_UPS = Symbol('follow-ups');
export const LEGAL_HOLDS = Symbol('legal holds');
export const OUTCOME_HANDLER = Symbol('outcome handler');
export const PROOFS = Symbol('proof source, if it is reachable');
export const ACCOUNTS = Symbol('accounts projection');
export const AGENTS = Symbol('agents projection');
