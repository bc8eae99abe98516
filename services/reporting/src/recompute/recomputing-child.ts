import type { PackageEvent } from '@countersign/contracts';
import { inputOfChild } from '../child/input-of-child.js';
import { recompute, type Recomputed } from './recompute.js';

/**
 * A process that computes the verdicts of one package again: reads an object with its member `events` from standard input, as JSON,
 * writes a {@link Recomputed} to standard output, then exits.
 * @see {@link Recomputer}, which starts it
 */
const { events } = JSON.parse((await inputOfChild()).toString()) as { readonly events: readonly PackageEvent[] };
const computed: Recomputed = recompute(events);
process.stdout.write(JSON.stringify(computed));
