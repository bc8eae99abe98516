import { readFileSync } from 'node:fs';
import {
  FRAMEWORKS,
  type ComplianceScope,
  type EventStatus,
  type Framework,
  type PackageControl,
  type PackageMappingRow,
} from '@countersign/contracts';
import { canonicalBytes, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { ANY_EVENT, SITUATIONS, type EventConditions, type Situation } from './situation.js';

/** One row of `mapping/control-mapping.json`. */
export interface MappingRow {
  readonly framework: Framework;
  readonly edition: string;
  readonly controlId: string;
  readonly shortTitle: string;
  /**
   * `direct`: the event itself is what the control asks for; `supporting`: it shows a part of it; `contextual`: it relates
   * to the control and shows no part of it.
   */
  readonly relation: PackageControl['relation'];
  /** One sentence: what the event shows of the control, and what it does not. */
  readonly rationale: string;
  readonly situations: readonly (Situation | typeof ANY_EVENT)[];
  /** All must hold: `soc2:<category>`, `hipaa:ephi`, `financial`, `tls`. */
  readonly conditions: readonly string[];
  /** Where the text of the control can be read. */
  readonly sourceUrl: string;
}

/** A control of the mapping: its rows of one relation. */
export interface MappedControl extends Pick<MappingRow, 'framework' | 'controlId' | 'relation' | 'rationale'> {
  readonly title: string;
  readonly edition: string;
  readonly sourceUrl: string;
  /** The conditions of each row; an event is evidence for the control if those of one row hold. */
  readonly conditions: readonly (readonly string[])[];
  /** Kinds of events that are evidence for it, in the words of the mapping. */
  readonly situations: readonly string[];
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
  /** The rows of these controls, each once, in the order of the file. */
  rowsOf(controls: Iterable<PackageControl>): readonly PackageMappingRow[];
  /** Every control of these frameworks once for each relation, in the order of the file. */
  controlsOf(frameworks: readonly Framework[]): readonly MappedControl[];
}

/** Loads the stored mapping. Throws if a row names an unknown framework or situation. */
export function loadControlMapping(crypto: EvidenceCrypto): ControlMapping {
  const file: unknown = JSON.parse(
    readFileSync(new URL('../../mapping/control-mapping.json', import.meta.url), 'utf8'),
  );
  return controlMapping(file, crypto);
}

export function controlMapping(file: unknown, crypto: EvidenceCrypto): ControlMapping {
  const { mappingVersion, rows } = file as {
    mappingVersion: string;
    rows: readonly MappingRow[];
  };
  for (const row of rows) {
    const unknown = row.situations.find((one) => one !== ANY_EVENT && !SITUATIONS.includes(one));
    if (!FRAMEWORKS.includes(row.framework) || unknown !== undefined)
      throw new Error(`control mapping: no framework or situation ${row.framework}/${unknown ?? ''}`);
  }
  const explained = explain(rows);
  const every = mappedControls(rows);
  const ofEveryEvent = rows.filter((row) => row.situations.includes(ANY_EVENT));
  const bySituation = new Map<Situation | null, readonly MappingRow[]>([
    [null, ofEveryEvent],
    ...SITUATIONS.map(
      (situation) =>
        [situation, [...ofEveryEvent, ...rows.filter((row) => row.situations.includes(situation))]] as const,
    ),
  ]);
  return {
    version: mappingVersion,
    sha256: toHex(crypto.sha256(canonicalBytes(file))),
    controls: (situation, frameworks, scope, conditions, status) =>
      (bySituation.get(situation) ?? ofEveryEvent)
        .filter((row) => frameworks.includes(row.framework))
        .filter((row) => row.conditions.every((condition) => holds(condition, scope, conditions)))
        .map(({ framework, controlId, shortTitle, relation }) => ({
          framework,
          controlId,
          title: shortTitle,
          relation,
          status,
        })),
    rowsOf: (controls) => {
      const listed = new Set<string>();
      for (const control of controls) listed.add(rowKey(control));
      return explained.filter((row) => listed.has(rowKey(row)));
    },
    controlsOf: (frameworks) => every.filter(({ framework }) => frameworks.includes(framework)),
  };
}

/** Names a control and a relation in a mapping. */
export function rowKey({ framework, controlId, relation }: Omit<PackageMappingRow, 'rationale' | 'source'>): string {
  return `${framework}/${controlId}/${relation}`;
}

function mappedControls(rows: readonly MappingRow[]): readonly MappedControl[] {
  const byKey = new Map<string, MappedControl>();
  for (const row of rows) {
    const { framework, controlId, relation, rationale, shortTitle: title, edition, sourceUrl } = row;
    const known = byKey.get(rowKey(row));
    const conditions = [...(known?.conditions ?? []), row.conditions];
    const situations = [...new Set([...(known?.situations ?? []), ...row.situations])];
    const facts = { framework, controlId, relation, rationale, title, edition, sourceUrl };
    byKey.set(rowKey(row), { ...facts, conditions, situations });
  }
  return [...byKey.values()];
}

/** Rows for several situations or conditions of one control give it the same rationale. */
function explain(rows: readonly MappingRow[]): readonly PackageMappingRow[] {
  const byKey = new Map<string, PackageMappingRow>();
  for (const { framework, controlId, relation, rationale, edition, sourceUrl } of rows) {
    const row = { framework, controlId, relation, rationale, source: { edition, url: sourceUrl } };
    const known = byKey.get(rowKey(row)) ?? row;
    if (known.rationale !== rationale) throw new Error(`control mapping: two rationales of ${rowKey(row)}`);
    byKey.set(rowKey(row), known);
  }
  return [...byKey.values()];
}

function holds(condition: string, scope: ComplianceScope, event: EventConditions): boolean {
  if (condition === 'financial') return event.financial;
  if (condition === 'tls') return event.tls;
  if (condition === 'hipaa:ephi') return scope.hipaa?.ephi === true;
  const category = condition.startsWith('soc2:') ? condition.slice(5) : '';
  return scope.soc2?.categories.some((declared) => declared === category) ?? false;
}
