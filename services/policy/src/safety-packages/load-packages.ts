import { readdirSync, readFileSync } from 'node:fs';
import { readProfilePatch } from '@countersign/policy-engine';
import type { Action, ProfileRules } from '@countersign/policy-engine';
import { VIOLATION_TYPES } from '@countersign/contracts';
import type { ViolationType } from '@countersign/contracts';

/** What the rules alone, on a profile without others, make of an action. */
export interface PackageCase {
  readonly title: string;
  readonly action: Action;
  readonly expect: 'allowed' | ViolationType;
  /** Checked so often in a row; the last one counts. Default 1. */
  readonly times?: number;
}

/** A named set of rules. */
export interface SafetyPackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rules: Partial<ProfileRules>;
  /** For whoever tests the package; not told to callers. */
  readonly cases: readonly PackageCase[];
}

const FOLDER = new URL('../../safety-packages/', import.meta.url);

/**
 * The packages that ship with this service, one JSON file each, in the order of their ids.
 * @throws Error naming the file when one is not well formed or has a rule that is not enforced
 */
export function loadPackages(folder: URL = FOLDER): readonly SafetyPackage[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => readPackage(file, readFileSync(new URL(file, folder), 'utf8')));
}

/** @throws Error naming `file` and what is wrong in it */
export function readPackage(file: string, text: string): SafetyPackage {
  const { id, name, description, rules, cases, ...others } = JSON.parse(text) as Partial<SafetyPackage>;
  const wrong = (problem: string): Error => new Error(`safety package ${file}: ${problem}`);
  if (Object.keys(others).length > 0) throw wrong(`it has no field ${Object.keys(others).join(', ')}`);
  if (typeof id !== 'string' || `${id}.json` !== file) throw wrong('id must be the name of the file');
  if (typeof name !== 'string' || typeof description !== 'string') throw wrong('name and description must be texts');
  const read = readProfilePatch(rules);
  if ('error' in read) throw wrong(read.error);
  if (read.patch.agent_id !== undefined || read.patch.version !== undefined) throw wrong('rules belong to no profile');
  if (!Array.isArray(cases) || cases.length === 0) throw wrong('cases must be a list with at least one');
  const odd = cases.findIndex((one) => !isCase(one));
  if (odd !== -1) throw wrong(`cases[${odd}] must have title, action with a type, expect and at most times`);
  return { id, name, description, rules: read.patch, cases };
}

function isCase(value: unknown): value is PackageCase {
  if (typeof value !== 'object' || value === null) return false;
  const { title, action, expect, times, ...others } = value as Partial<PackageCase>;
  return (
    Object.keys(others).length === 0 &&
    typeof title === 'string' &&
    typeof action === 'object' &&
    typeof action['type'] === 'string' &&
    (expect === 'allowed' || (VIOLATION_TYPES as readonly unknown[]).includes(expect)) &&
    (times === undefined || (Number.isSafeInteger(times) && times >= 1))
  );
}
