import type * as library from './evidence.js';

/** The library as a value: the worker imports it from its own address, tests from the package. */
export type EvidenceLibrary = typeof library;
