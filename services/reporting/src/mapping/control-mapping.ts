import { readFileSync } from 'node:fs';
import {
  FRAMEWORKS,
  type ComplianceScope,
  type EventStatus,
  type Framework,
  type PackageControl,
} from '@countersign/contracts';
import { canonicalBytes, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { SITUATIONS, type EventConditions, type Situation } from './situation.js';

/** One row of `mapping/control-mapping.json`. */
export interface MappingRow {
  readonly framework: Framework;
  readonly edition: string;
  readonly situation: Situation;
  readonly controlId: string;
  readonly shortTitle: string;
  readonly relation: PackageControl['relation'];
  /** All must hold: `soc2:<category>`, `hipaa:ephi`, `financial`, `tls`, `disclosure-evidence`. */
  readonly conditions: readonly string[];
  readonly sourceUrl: string | null;
}

/** The mapping in use: its version and hash are in every package. */
export interface ControlMapping {
  readonly version: string;
  /** SHA-256 of the JCS of the whole file, lower-case hex. */
  readonly sha256: string;
  controls(
    situation: Situation | null,
    frameworks: readonly Framework[],
    scope: ComplianceScope,
    conditions: EventConditions,
    status: EventStatus,
  ): readonly PackageControl[];
}

/** Loads the stored mapping. Throws if a row names an unknown framework or situation. */
export function loadControlMapping(crypto: EvidenceCrypto): ControlMapping {
  const file: unknown = JSON.parse(
    readFileSync(new URL('../../mapping/control-mapping.json', import.meta.url), 'utf8'),
  );
  return controlMapping(file, crypto);
}

export function controlMapping(file: unknown, crypto: EvidenceCrypto): ControlMapping {
  const { mappingVersion, rows } = file as { mappingVersion: string; rows: readonly MappingRow[] };
  for (const row of rows) {
    if (!FRAMEWORKS.includes(row.framework) || !SITUATIONS.includes(row.situation))
      throw new Error(`control mapping: no framework or situation ${row.framework}/${row.situation}`);
  }
  const bySituation = new Map(
    SITUATIONS.map((situation) => [situation, rows.filter((row) => row.situation === situation)]),
  );
  return {
    version: mappingVersion,
    sha256: toHex(crypto.sha256(canonicalBytes(file))),
    controls: (situation, frameworks, scope, conditions, status) =>
      situation === null
        ? []
        : (bySituation.get(situation) ?? [])
            .filter((row) => frameworks.includes(row.framework))
            .filter((row) => row.conditions.every((condition) => holds(condition, scope, conditions)))
            .map(({ framework, controlId, shortTitle, relation }) => ({
              framework,
              controlId,
              title: shortTitle,
              relation,
              status,
            })),
  };
}

function holds(condition: string, scope: ComplianceScope, event: EventConditions): boolean {
  if (condition === 'financial') return event.financial;
  if (condition === 'tls') return event.tls;
  if (condition === 'hipaa:ephi') return scope.hipaa?.ephi === true;
  // No event carries evidence of a disclosure or a marking, so Article 50 rows are never met.
  if (condition === 'disclosure-evidence') return false;
  const category = condition.startsWith('soc2:') ? condition.slice(5) : '';
  return scope.soc2?.categories.some((declared) => declared === category) ?? false;
}
