export { ACCOUNT_EVENT_TYPES, ACCOUNT_EVENTS, accountStream, actorText, isAccountStream } from './account-events.js';
export type { AccountActor, AccountEventType } from './account-events.js';
export type { AccountEventDraft } from './account-event-draft.js';
export {
  ACTION_KINDS,
  CHECK_OUTCOMES,
  EVENT_AHEAD_MS,
  LEAF_TYPES,
  LEAF_TYPES_V1,
  REPORTED_OUTCOMES,
  SEVERITIES,
  VIOLATION_TYPES,
  VIOLATION_TYPES_V1,
} from './leaf.js';
export type {
  ActionKind,
  CheckOutcome,
  JsonValue,
  LaterName,
  LeafEvent,
  LeafType,
  LeafTypeV1,
  MembersOpening,
  Opening,
  Openings,
  ReportedOutcome,
  Severity,
  ShownMember,
  ShownOpenings,
  ViolationType,
  ViolationTypeV1,
} from './leaf.js';
export { packAmounts, unpackAmounts } from './kept-rules.js';
export type { KeptAmount, KeptApproval, KeptFact, KeptRules, KeptWindow } from './kept-rules.js';
export { amountOfNanos, MOST_UNITS, NANOS_OF_UNIT } from './rule-counts.js';
export type { Amount, CountedAmount, HeldAmount, RuleCounts, SetFact } from './rule-counts.js';
export type {
  ConditionalRule,
  FactSetting,
  RuleTrip,
  StaticViolation,
  TripApprovals,
  TripFact,
  TripLimit,
} from './rule-trip.js';
export { FRAMEWORKS, REDECISION_TOTALS } from './package.js';
export type {
  AgentWindowLeaf,
  AnchorAuthority,
  AnchoredProof,
  EventStatus,
  Framework,
  InclusionProof,
  MerklePath,
  PackageAgent,
  PackageAudit,
  PackageContent,
  PackageControl,
  PackageEvent,
  PackageMappingRow,
  DecisionFigures,
  PackageOversight,
  PackageRedecision,
  PackageSummary,
  PackageTimestamp,
  PackageWindow,
  SignedPackage,
  UnanchoredProof,
} from './package.js';
export { SERIES_CHANGES } from './series.js';
export type {
  SeriesAgent,
  SeriesChange,
  SeriesContent,
  SeriesCounts,
  SeriesDenials,
  SeriesEntry,
  SeriesEntryAgent,
  SeriesMoment,
  SignedSeries,
} from './series.js';
export type { ComplianceScope, ComplianceScopeBody } from './compliance-scope.js';
export {
  APPROVAL_CODES,
  APPROVAL_ID_PATTERN,
  APPROVAL_STATES,
  approvalId,
  approvalUuid,
  NEXT_ACTIONS,
} from './approvals.js';
export type { AnswerExtras, LimitBudget } from './answer-extras.js';
export type {
  ApprovalAsked,
  ApprovalCode,
  ApprovalEventValue,
  ApprovalFacts,
  ApprovalOfCheck,
  ApprovalRequested,
  ApprovalState,
  ApprovalUsed,
  NextAction,
} from './approvals.js';
export type { EventEnvelope, GivenBack, IdempotencyStamp, PolicyCoverage } from './envelope.js';
export { FROZEN_REASON, checkAnswer, denialBody, wouldDenyOf } from './check-answer.js';
export type { CheckAnswer } from './check-answer.js';
export { TOPICS, TOPIC_NAMES } from './topics.js';
export type { Retention, TopicDefinition, TopicName } from './topics.js';
export {
  AGENTS_OF_PLAN,
  API_KEY_RIGHTS,
  MAX_PROFILE_BYTES,
  PII_KINDS,
  PLANS,
  REQUIRED_MEMBERS,
  ROLES,
} from './records.js';
export type {
  AccountFacts,
  AgentFacts,
  AgentKey,
  AgentSigning,
  AgentHeadFacts,
  AgentStatus,
  AgentWindowFacts,
  AgentWindowProof,
  AnchorFacts,
  AnchorRequest,
  ApiKeyFacts,
  BehaviorProfile,
  DeadLetter,
  DeclaredScope,
  OutputRules,
  PiiKind,
  Plan,
  RateLimit,
  ReportFacts,
  RequiredMember,
  Role,
  SessionFacts,
  SigningKeyFacts,
  SpendingWindow,
  UsageFacts,
  VersionedRecord,
  TrustedIssuer,
} from './records.js';
export {
  NOT_FOR_AGENT,
  missingRight,
  needsOwnKey,
  ownKeyNeeded,
  powersOf,
  rightsMask,
  rightsOf,
} from './api-key-rights.js';
export type { ApiKeyPowers } from './api-key-rights.js';
export { listedAction } from './listed-action.js';
export { readTraceparent, traceIdIn, traceIdOf, traceOfMeta } from './trace-id.js';
export type { ListedAction } from './listed-action.js';
export { nearNames, unknownField } from './unknown-field.js';
export type { ArchivedEvent, ErasedContent, Erasures, EventArchive, EventWithProfile, ProofSource } from './peers.js';
export { fillTemplate, notDecided, REASON, route } from './http/route.js';
export type { JsonTemplate, Route, ServiceName } from './http/route.js';
export { nullable, object } from './http/json-schema.js';
export type { BodyOf, JsonSchema, QueryOf } from './http/json-schema.js';
export { error, isoTime, limit, offset, uuid } from './http/fragments.js';
export type { PageQuery } from './http/fragments.js';
export { buildOpenApi } from './http/openapi.js';
export { operationsRoutes } from './http/operations.js';
export { reportJobBody, reportJobRoutes } from './http/report-jobs.js';
export type { ReportJobBody, ReportJobRecord, ReportJobState } from './http/report-jobs.js';
export { reportSeriesRoutes, seriesBody } from './http/report-series.js';
export type { SeriesBody, SeriesRecord } from './http/report-series.js';
export { LONGEST_SHARE_SECONDS, reportShareRoutes } from './http/report-shares.js';
export type { NewShareRecord, ShareBody, SharedForm, ShareRecord } from './http/report-shares.js';
export { exportBody, reportingRoutes } from './http/reporting.js';
export type { ExportBody, ReportRecord, ReportsQuery } from './http/reporting.js';
export { keySetRoutes } from './http/key-set.js';
export type { SigningKeyJwk } from './http/key-set.js';
export { publicAgentRoutes } from './http/public-agents.js';
export type { PublicAgentRecord } from './http/public-agents.js';
export { publicReportRoutes } from './http/public-reports.js';
export type { IssuedPdf } from './http/public-reports.js';
export { verificationRoutes } from './http/verification.js';
export type { AnchorCheck } from './http/verification.js';
export { verificationPageRoutes } from './http/verification-page.js';
export { consoleRoutes } from './http/console.js';
export { installationRoutes } from './http/installation-state.js';
export type { InstallationState } from './http/installation-state.js';
export { checkBody, checkRoutes, decision } from './http/check.js';
export type { CheckAction, CheckRequest } from './http/check.js';
export { evaluationRoutes } from './http/evaluation.js';
export type { EvaluationParts, EvaluationSemantic, EvaluationsRequest } from './http/evaluation.js';
export { EXT_AUTHZ_PATH, gatewayHookRoutes } from './http/gateway-hooks.js';
export { AGENT_HEADER, HOOK_DENIALS, HOOK_TOOLS, hookRoutes } from './http/hooks.js';
export type { HookTool } from './http/hooks.js';
export { mcpRoutes } from './http/mcp.js';
export { scanRoutes } from './http/scan.js';
export type { ScanRequest, ToolsRequest } from './http/scan.js';
export { outcomeRoutes } from './http/outcome.js';
export type { OutcomeReport } from './http/outcome.js';
export { identityRoutes } from './http/identity.js';
export type { AccountRecord, ApiKeyRecord, IssuedKeyRecord, NewApiKey } from './http/identity.js';
export { secondFactorRoutes } from './http/second-factor.js';
export type { SecondFactorEnrolment, SecondFactorState } from './http/second-factor.js';
export type { BrowserSession, NextStep, SignedIn, WithRecoveryCodes } from './http/signed-in.js';
export type { InvitationRecord, OpenSessionRecord, PasswordLinkRecord, UserRecord } from './http/people.js';
export { profilePatch, profileWarnings } from './http/profile.js';
export {
  conditionalMembers,
  factMember,
  limitMember,
  MAX_FACTS,
  MAX_LIMITS,
  MAX_PATCH_CHARACTERS,
  MAX_RULES,
  ruleMember,
} from './http/rules.js';
export type { ArgumentMatcher, FactMember, LimitMember, PatchOperation, RuleEffect, RuleMember } from './http/rules.js';
export { dryRun, dryRunBody } from './http/dry-run.js';
export type { DryRunAnswer } from './http/dry-run.js';
export type { Explanation, ExplainRequest } from './http/explanation.js';
export type { PreviewRequest, ProfilePreview } from './http/profile-preview.js';
export type { RegistrationDraft, WalletRegistration } from './http/registration.js';
export { agentRecord, MOST_OAUTH_CLIENTS } from './http/agent-record.js';
export type { AgentRecord } from './http/agent-record.js';
export { policyRoutes } from './http/policy.js';
export { agentSigningRoutes, MOST_AGENT_KEYS } from './http/agent-signing.js';
export type { AgentKeyRecord, AgentSigningRecord, NewAgentKey } from './http/agent-signing.js';
export { accessRequestProblem, accessRequestRoutes, PROBLEM_TYPE } from './http/access-requests.js';
export type { AccessRequestProblem, AccessSubmission, AccessTask } from './http/access-requests.js';
export { approvalRoutes } from './http/approvals.js';
export type {
  ApprovalRecord,
  ApprovalsQuery,
  ApprovalStatus,
  ApprovalSummary,
  DecisionBody,
} from './http/approvals.js';
export type { AgentBody, AgentsQuery } from './http/policy.js';
export { EVENT_KINDS, EXPORT_FORMATS, auditLogRoutes } from './http/audit-log.js';
export type {
  AcknowledgeBody,
  AlertGroup,
  AnchorRecord,
  ErasureQuery,
  EventsQuery,
  EventKind,
  ExportFormat,
  ExportQuery,
} from './http/audit-log.js';
export { followUpRoutes, MOST_FOLLOWED_UP, MOST_FOLLOW_UPS } from './http/follow-ups.js';
export type { FollowedUpCheck, FollowUpBody, FollowUpRecord, FollowUpsQuery } from './http/follow-ups.js';
export { HOLD_STATES, legalHoldRoutes, MOST_HELD_AGENTS } from './http/legal-holds.js';
export type { HoldState, LegalHoldRecord, NewHoldBody, ReleaseHoldBody } from './http/legal-holds.js';
export type { EventRecord } from './http/event-record.js';
export { agentHistoryRoutes } from './http/agent-history.js';
export type { AnchoredWindowRecord, ProfileVersion, WindowsQuery } from './http/agent-history.js';
export { eventExplanationRoutes } from './http/event-explanation.js';
export type { EventExplanation } from './http/event-explanation.js';
export { searchRoutes } from './http/search.js';
export type { SearchHit, SearchQuery } from './http/search.js';
export { statsRoutes } from './http/stats.js';
export type { AgentStats, AgentStatsQuery, CheckStats, CheckStatsQuery } from './http/stats.js';
export { anchoringStateRoutes } from './http/anchoring-state.js';
export type { AnchoringState } from './http/anchoring-state.js';
export { CONTROL_STATES, coverageRoutes } from './http/coverage.js';
export type {
  ControlState,
  Coverage,
  CoverageQuery,
  CoveredControl,
  CoveringEvent,
  CoveringEventsQuery,
} from './http/coverage.js';
export { completenessRoutes } from './http/completeness.js';
export { eventStreamRoutes } from './http/event-stream.js';
export type { EventStreamQuery, LiveMessages } from './http/event-stream.js';
export type { AgentCompleteness, CompletenessQuery } from './http/completeness.js';
export { oneEventRoutes } from './http/one-event.js';
export type { EventDetail, EventWindow, EventWithProof } from './http/one-event.js';
export {
  alertsRoutes,
  approvalMessageSchema,
  MOST_ATTEMPTS,
  testMessageSchema,
  violationMessageSchema,
} from './http/alerts.js';
export type {
  AlertConfigBody,
  AlertConfigRecord,
  AlertTestBody,
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  DestinationKind,
} from './http/alerts.js';
export { SINGLE_SIGN_ON_REFUSALS, singleSignOnRoutes } from './http/single-sign-on.js';
export type { SignInMethods, SingleSignOnRefusal } from './http/single-sign-on.js';
export { MOST_TRUSTED_ISSUERS, trustedIssuerRoutes } from './http/trusted-issuers.js';
export type { NewTrustedIssuer, TrustedIssuerRecord } from './http/trusted-issuers.js';
export { STREAM_FORMATS, STREAM_KINDS, streamRoutes } from './http/streams.js';
export type {
  FollowedStream,
  NewStreamBody,
  StreamChangeBody,
  StreamCredentials,
  StreamFilter,
  StreamFormat,
  StreamKind,
  StreamRecord,
  StreamSettings,
} from './http/streams.js';
export { anchoringRoutes } from './http/anchoring.js';
export { everyRoute } from './http/every-route.js';
export { EVERY_NOTE } from './http/document/every-note.js';
