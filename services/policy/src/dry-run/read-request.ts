import { dryRunBody, profilePatch } from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import type { ProfilePatch } from '@countersign/policy-engine';
import { schemaCheck, HttpRefusal } from '@countersign/http-edge';
import { readPatchFor } from '../domain/profile.js';

/** Body of `POST /v1/agents/{id}/profile/dry-run`, judged. */
export interface DryRunRequest {
  readonly patch: ProfilePatch;
  readonly checks: DryRunChecks;
}

/** The recorded checks that are judged again: those of a time, or the newest. */
export type DryRunChecks =
  | {
      /** ISO 8601 UTC with milliseconds. A check of `from` is in, one of `to` is not. */
      readonly from: string;
      readonly to: string;
    }
  | { readonly latest: number };

const properties = { ...(dryRunBody['properties'] as object), profile: {} };
const aroundProblem = schemaCheck({ ...dryRunBody, properties });
const profileProblem = schemaCheck(profilePatch);

/** @throws HttpRefusal 400; of the draft in the words that a PATCH of the profile of agent `id` would get */
export function readDryRun(id: string, body: unknown): DryRunRequest {
  const around = aroundProblem(body);
  if (around !== null) throw new HttpRefusal(400, around);
  const { profile, from, to, latest } = body as {
    readonly profile: unknown;
    readonly from?: string;
    readonly to?: string;
    readonly latest?: number;
  };
  const patch = readDraft(id, profile);
  if (latest !== undefined && from === undefined && to === undefined) return { patch, checks: { latest } };
  if (latest !== undefined || from === undefined || to === undefined) {
    throw new HttpRefusal(400, 'send from and to, or latest');
  }
  const range = { from: instant('from', from), to: instant('to', to) };
  if (range.from >= range.to) throw new HttpRefusal(400, 'from must be before to');
  return { patch, checks: range };
}

/** @throws HttpRefusal 400 in the words that a PATCH of the profile of agent `id` would get */
export function readDraft(id: string, profile: unknown): ProfilePatch {
  const problem = profileProblem(profile);
  if (problem !== null) throw new HttpRefusal(400, problem);
  const read = readPatchFor(id, profile);
  if ('error' in read) throw new HttpRefusal(400, read.error);
  return read.patch;
}

function instant(name: string, text: string): string {
  const ms = parseTime(text);
  const date = new Date(ms ?? NaN);
  if (ms === null || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) {
    throw new HttpRefusal(400, `${name} must be a time that the calendar has, such as 2026-03-01T00:00:00.000Z`);
  }
  return date.toISOString();
}
