/**
 * The versions that a check commits in its context: of the code that judges, and of the detectors of the output rules.
 * Raise one with a change by which any action gets another verdict, so that re-decision can say so.
 */
export const ENGINE_VERSION = { engine: '1', detectors: '1' } as const;
