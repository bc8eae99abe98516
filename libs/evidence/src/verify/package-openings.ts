import { ACCOUNT_EVENTS } from '@countersign/contracts';
import type { LeafEvent, PackageEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { canonicalBytes } from '../json/canonicalize.js';
import { COMMITMENT_KINDS } from '../leaf/commitment.js';
import { opens, shownValue } from '../leaf/opening.js';
import { isRecord } from '../reading.js';
import { counted, type Findings } from './findings.js';
import { readContext } from './read-context.js';

/** Checks what the entries of a package open, and counts it. */
export class OpeningChecks {
  readonly #sha256: Sha256;
  readonly #findings: Findings;
  #opened = 0;
  #inPart = 0;
  #withheld = 0;
  #closed = 0;
  #notKept = 0;

  constructor(sha256: Sha256, findings: Findings) {
    this.#sha256 = sha256;
    this.#findings = findings;
  }

  /** @param path of the entry: `events[3]` */
  check(entry: PackageEvent, event: LeafEvent, path: string): void {
    for (const kind of COMMITMENT_KINDS) this.#opening(kind, entry, event, `${path}.opened.${kind}`);
    if (entry.erased === true) this.#erased(entry, event, `${path}.erased`);
    if (event.type === 'profile.changed') this.#profile(entry, event, `${path}.opened.action`);
    if (event.type.startsWith(ACCOUNT_EVENTS)) this.#actor(entry, event, `${path}.opened.action`);
  }

  report(): void {
    const { checked, notChecked } = this.#findings;
    if (this.#opened > 0) checked.push(`${counted(this.#opened, 'opening')} against the commitments`);
    if (this.#inPart > 0) {
      const members = counted(this.#withheld, 'member');
      notChecked.push(`${members} withheld of ${counted(this.#inPart, 'opening')} shown in part`);
    }
    if (this.#closed > 0) {
      notChecked.push(`${counted(this.#closed, 'commitment')} without an opening (withheld or erased)`);
    }
    if (this.#notKept > 0) {
      notChecked.push(`${counted(this.#notKept, 'payload')} not kept: who has the payload can compare it`);
    }
  }

  #opening(kind: (typeof COMMITMENT_KINDS)[number], { opened }: PackageEvent, event: LeafEvent, at: string): void {
    const committed = (event[kind] ?? null) !== null;
    const opening = opened[kind];
    if (opening === undefined) {
      if (committed) this.#closed += 1;
      return;
    }
    if (!committed) return this.#inconsistent(at, `The event commits no ${kind}.`, event);
    const verdict = opens(event, kind, opening, this.#sha256);
    if (verdict === 'value-not-kept') {
      this.#notKept += 1;
      return;
    }
    if (verdict === 'wrong') {
      const message = `The ${kind} shown is not the one committed.`;
      return this.#findings.problem('opening-wrong', at, message, event.eventId);
    }
    const { value, withheld } = shownValue(opening);
    this.#opened += 1;
    if (withheld > 0) this.#inPart += 1;
    this.#withheld += withheld;
    if (kind !== 'context') return;
    const context = readContext(value, withheld === 0, event);
    if (!context.ok) this.#inconsistent(at, `The context is malformed: ${context.problem}.`, event);
  }

  #erased({ opened }: PackageEvent, event: LeafEvent, at: string): void {
    if (COMMITMENT_KINDS.some((kind) => opened[kind] !== undefined)) {
      this.#inconsistent(at, 'Erased content is opened.', event);
    } else if (COMMITMENT_KINDS.every((kind) => (event[kind] ?? null) === null)) {
      this.#inconsistent(at, 'The event has no content to erase.', event);
    }
  }

  /** Checks that an opened profile has the hash and version that the leaf names. */
  #profile({ opened }: PackageEvent, event: LeafEvent, at: string): void {
    const { value, withheld } = shownValue(opened.action);
    if (value === undefined) return;
    const profile = isRecord(value) ? value['profile'] : undefined;
    if (profile === undefined && withheld > 0) return;
    const same =
      isRecord(profile) &&
      profile['version'] === event.profileVersion &&
      toHex(this.#sha256(canonicalBytes(profile))) === event.profileSha256;
    if (!same) this.#findings.problem('profile-differs', at, 'The profile is not that of the leaf.', event.eventId);
  }

  /** Checks that the person whom an event of an account shows is the one whose pseudonym its leaf has. */
  #actor({ opened }: PackageEvent, event: LeafEvent, at: string): void {
    const { value, withheld } = shownValue(opened.action);
    if (value === undefined) return;
    const by = isRecord(value) ? value['by'] : undefined;
    if (by === undefined && withheld > 0) return;
    if (pseudonymOf(by) !== event.detail) this.#inconsistent(at, 'It shows another person than the leaf names.', event);
  }

  #inconsistent(path: string, message: string, { eventId }: LeafEvent): void {
    this.#findings.problem('opening-inconsistent', path, message, eventId);
  }
}

/** `<kind>:<id>`, or `<kind>` alone; `null`: `by` is malformed. */
function pseudonymOf(by: unknown): string | null {
  if (!isRecord(by) || typeof by['kind'] !== 'string') return null;
  const { kind, id } = by as { readonly kind: string; readonly id?: unknown };
  if (id === undefined) return kind;
  return typeof id === 'string' ? `${kind}:${id}` : null;
}
