import type { ComplianceScope, Framework } from '@countersign/contracts';

const GENERAL =
  'Statuses describe individual events. They are not an opinion on the design or operating effectiveness of any control and not a certification under any framework. An action that was never sent to the service is not recorded.';

const CLASSIFICATIONS = {
  'high-risk-annex-iii': 'a high-risk system under Annex III',
  'high-risk-annex-i': 'a high-risk system under Annex I',
  'not-high-risk': 'not a high-risk system',
  'not-assessed': 'not assessed',
} as const;

/** The wording that a report prints for a framework, with the account's declaration of its scope. */
export function statementsFor(
  frameworks: readonly Framework[],
  scope: ComplianceScope,
): readonly { readonly framework: Framework; readonly text: string }[] {
  return frameworks.map((framework) => ({ framework, text: `${wording(framework, scope)} ${GENERAL}` }));
}

function wording(framework: Framework, scope: ComplianceScope): string {
  switch (framework) {
    case 'soc2':
      return `SOC 2 (TSP Section 100, 2017 Trust Services Criteria, revised points of focus 2022). Criteria are cited by id with titles of our own. Common criteria are always listed; categories in scope as declared by the account: ${scope.soc2 === undefined ? 'undeclared, so none of the additional categories is listed' : scope.soc2.categories.join(', ') || 'none'}.`;
    case 'euaiact':
      return `Regulation (EU) 2024/1689 as amended by Regulation (EU) 2026/1744. Articles 6 to 27 bind only high-risk systems and apply from 2 December 2027 (Annex III) and 2 August 2028 (Annex I). Classification as declared by the account: ${scope.euaiact === undefined ? 'undeclared' : CLASSIFICATIONS[scope.euaiact.classification]}.`;
    case 'hipaa':
      return `45 CFR Part 164. Controls are listed only where the account declares that its agents handle electronic protected health information. Declared: ${scope.hipaa === undefined ? 'undeclared, so no control is listed' : scope.hipaa.ephi ? 'ePHI is in scope' : 'ePHI is not in scope, so no control is listed'}. A denial is an attempted access and still wants triage.`;
    case 'sr11-7':
      return 'Superseded guidance; shown for policies that still cite it. SR 26-2 (17 Apr 2026) supersedes SR 11-7 and states that generative and agentic AI models are not within its scope. References are given for alignment with the institution’s own risk-management and governance practices (footnote 3) and are not a statement of supervisory compliance.';
    case 'sr26-2':
      return 'SR 26-2 (17 Apr 2026) supersedes SR 11-7 and states that generative and agentic AI models are not within its scope. References are given for alignment with the institution’s own risk-management and governance practices (footnote 3) and are not a statement of supervisory compliance.';
    case 'nydfs':
      return `23 NYCRR Part 500 (second amendment). A cybersecurity event is any act or attempt, successful or unsuccessful: what was prevented is still an event and wants triage. Covered entity as declared by the account: ${scope.nydfs === undefined ? 'undeclared' : scope.nydfs.coveredEntity ? 'yes' : 'no'}.`;
  }
}
