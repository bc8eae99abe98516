import { readdirSync, readFileSync } from 'node:fs';
import type { RulePatch } from '@countersign/policy-engine';
import { PolicyFileProblem, readPolicyFile } from '../policy-file/read-policy-file.js';
import type { PolicyCase } from '../policy-file/read-policy-file.js';

/** A named set of rules. */
export interface SafetyPackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rules: RulePatch;
  /** Results of actions under these rules alone, on a profile without others; not part of answers. */
  readonly cases: readonly PolicyCase[];
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
  const wrong = (problem: string): Error => new Error(`safety package ${file}: ${problem}`);
  const value = JSON.parse(text) as Partial<Record<'id' | 'name' | 'description' | 'rules', unknown>>;
  let read;
  try {
    read = readPolicyFile(value);
  } catch (error) {
    throw error instanceof PolicyFileProblem ? wrong(error.message) : error;
  }
  const { id, name, description } = value;
  const { kind, patch, cases } = read;
  if (typeof id !== 'string' || `${id}.json` !== file) throw wrong('id must be the name of the file');
  if (typeof name !== 'string' || typeof description !== 'string') throw wrong('name and description must be texts');
  if (kind !== 'rules') throw wrong('its member is rules, not profile');
  if (patch.agent_id !== undefined || patch.version !== undefined) throw wrong('rules belong to no profile');
  if (cases.length === 0) throw wrong('cases must be a list with at least one');
  return { id, name, description, rules: patch, cases };
}
