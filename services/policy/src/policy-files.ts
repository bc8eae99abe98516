/** Policy files, as programs without the service read, test and draft them. */
export { draftCost, draftFindings } from './policy-file/draft-findings.js';
export { PolicyFileProblem, readPolicyDraft, readPolicyFile } from './policy-file/read-policy-file.js';
export type { ExpectedAnswer, PolicyFile } from './policy-file/read-policy-file.js';
export { draftPolicy } from './draft-policy/draft-policy.js';
export type { DraftOptions, Drafted, PolicyDraft } from './draft-policy/draft-policy.js';
export type { RecordedCheck } from './dry-run/replay-checks.js';
export { policyWarnings, runCases } from './policy-file/run-cases.js';
export { caseFailureText } from './policy-file/case-failure-text.js';
export type { CaseFailure } from './policy-file/run-cases.js';
