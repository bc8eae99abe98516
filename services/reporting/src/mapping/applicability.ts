import type { ComplianceScope, ControlState } from '@countersign/contracts';
import type { MappedControl } from './control-mapping.js';

/** Events that are evidence for a control, and those of them whose status is a gap. */
export interface ControlEvents {
  readonly events: number;
  readonly gap: number;
}

/**
 * How far events show a control of the mapping. An event of a contextual control relates to it and shows no part of it.
 * A declaration that decides whether the control applies precedes the events.
 */
export function controlState(
  control: MappedControl,
  scope: ComplianceScope,
  { events, gap }: ControlEvents,
): ControlState {
  const applies = applicability(control, scope);
  if (applies !== 'applies') return applies;
  if (control.relation === 'contextual' || events === 0) return 'not_shown';
  return gap === 0 ? 'shown' : 'shown_with_gaps';
}

type Applicability = 'applies' | 'needs_declaration' | 'does_not_apply';

function applicability({ framework, conditions }: MappedControl, scope: ComplianceScope): Applicability {
  const ofFramework = frameworkApplicability(framework, scope);
  if (ofFramework !== 'applies') return ofFramework;
  const ofRows = conditions.map((row) => row.map((condition) => conditionApplicability(condition, scope)));
  const all = ofRows.map((row): Applicability => {
    if (row.includes('does_not_apply')) return 'does_not_apply';
    return row.includes('needs_declaration') ? 'needs_declaration' : 'applies';
  });
  if (all.includes('applies')) return 'applies';
  return all.includes('needs_declaration') ? 'needs_declaration' : 'does_not_apply';
}

/** The controls of the EU AI Act in the mapping are of Articles 6 to 27, which bind high-risk systems. */
function frameworkApplicability(framework: MappedControl['framework'], scope: ComplianceScope): Applicability {
  if (framework === 'nydfs') return declared(scope.nydfs?.coveredEntity);
  if (framework !== 'euaiact') return 'applies';
  const classification = scope.euaiact?.classification;
  if (classification === undefined || classification === 'not-assessed') return 'needs_declaration';
  return declared(classification !== 'not-high-risk');
}

/** Conditions on the event itself say nothing of the account. */
function conditionApplicability(condition: string, scope: ComplianceScope): Applicability {
  if (condition === 'hipaa:ephi') return declared(scope.hipaa?.ephi);
  if (!condition.startsWith('soc2:')) return 'applies';
  const category = condition.slice('soc2:'.length);
  return declared(scope.soc2?.categories.some((one) => one === category));
}

function declared(value: boolean | undefined): Applicability {
  if (value === undefined) return 'needs_declaration';
  return value ? 'applies' : 'does_not_apply';
}
