import { readdirSync, readFileSync } from 'node:fs';
import { readProfilePatch } from '@countersign/policy-engine';
import type { ProfileRules } from '@countersign/policy-engine';

/** A named set of rules, as `GET /v1/safety-packages` gives it. */
export interface SafetyPackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rules: Partial<ProfileRules>;
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
  const { id, name, description, rules, ...others } = JSON.parse(text) as Partial<SafetyPackage>;
  const wrong = (problem: string): Error => new Error(`safety package ${file}: ${problem}`);
  if (Object.keys(others).length > 0) throw wrong(`it has no field ${Object.keys(others).join(', ')}`);
  if (typeof id !== 'string' || `${id}.json` !== file) throw wrong('id must be the name of the file');
  if (typeof name !== 'string' || typeof description !== 'string') throw wrong('name and description must be texts');
  const read = readProfilePatch(rules);
  if ('error' in read) throw wrong(read.error);
  if (read.patch.agent_id !== undefined || read.patch.version !== undefined) throw wrong('rules belong to no profile');
  return { id, name, description, rules: read.patch };
}
