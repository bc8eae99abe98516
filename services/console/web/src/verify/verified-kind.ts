/** `partly`: nothing is wrong, and not everything was checked. `waiting`: in no anchored window yet, so there is no proof. */
export const VERIFIED_KINDS = ['holds', 'partly', 'waiting', 'refused', 'failed'] as const;
export type VerifiedKind = (typeof VERIFIED_KINDS)[number];

/** `open`: it could not be computed again. */
export const REDECIDED_KINDS = ['same', 'different', 'open', 'failed'] as const;
export type RedecidedKind = (typeof REDECIDED_KINDS)[number];
