import { accessRequestRoutes } from './access-requests.js';
import { agentHistoryRoutes } from './agent-history.js';
import { agentSigningRoutes } from './agent-signing.js';
import { alertsRoutes } from './alerts.js';
import { anchoringRoutes } from './anchoring.js';
import { anchoringStateRoutes } from './anchoring-state.js';
import { approvalRoutes } from './approvals.js';
import { auditLogRoutes } from './audit-log.js';
import { checkRoutes } from './check.js';
import { completenessRoutes } from './completeness.js';
import { consoleRoutes } from './console.js';
import { coverageRoutes } from './coverage.js';
import { evaluationRoutes } from './evaluation.js';
import { eventExplanationRoutes } from './event-explanation.js';
import { eventStreamRoutes } from './event-stream.js';
import { followUpRoutes } from './follow-ups.js';
import { gatewayHookRoutes } from './gateway-hooks.js';
import { hookRoutes } from './hooks.js';
import { identityRoutes } from './identity.js';
import { installationRoutes } from './installation-state.js';
import { keySetRoutes } from './key-set.js';
import { legalHoldRoutes } from './legal-holds.js';
import { mcpRoutes } from './mcp.js';
import { oneEventRoutes } from './one-event.js';
import { outcomeRoutes } from './outcome.js';
import { policyRoutes } from './policy.js';
import { publicAgentRoutes } from './public-agents.js';
import { publicReportRoutes } from './public-reports.js';
import { reportJobRoutes } from './report-jobs.js';
import { reportSeriesRoutes } from './report-series.js';
import { reportShareRoutes } from './report-shares.js';
import { reportingRoutes } from './reporting.js';
import type { Route } from './route.js';
import { scanRoutes } from './scan.js';
import { secondFactorRoutes } from './second-factor.js';
import { singleSignOnRoutes } from './single-sign-on.js';
import { searchRoutes } from './search.js';
import { statsRoutes } from './stats.js';
import { streamRoutes } from './streams.js';
import { trustedIssuerRoutes } from './trusted-issuers.js';
import { verificationRoutes } from './verification.js';
import { verificationPageRoutes } from './verification-page.js';

/** Every route of every service except the probes, which each process has: the routes of one address in front of all of them. */
export const everyRoute: readonly Route[] = [
  checkRoutes,
  evaluationRoutes,
  scanRoutes,
  hookRoutes,
  gatewayHookRoutes,
  identityRoutes,
  singleSignOnRoutes,
  secondFactorRoutes,
  trustedIssuerRoutes,
  policyRoutes,
  agentSigningRoutes,
  approvalRoutes,
  accessRequestRoutes,
  auditLogRoutes,
  followUpRoutes,
  legalHoldRoutes,
  oneEventRoutes,
  eventExplanationRoutes,
  agentHistoryRoutes,
  searchRoutes,
  statsRoutes,
  anchoringStateRoutes,
  completenessRoutes,
  eventStreamRoutes,
  outcomeRoutes,
  mcpRoutes,
  alertsRoutes,
  streamRoutes,
  anchoringRoutes,
  reportingRoutes,
  reportSeriesRoutes,
  reportJobRoutes,
  reportShareRoutes,
  coverageRoutes,
  verificationRoutes,
  keySetRoutes,
  publicAgentRoutes,
  publicReportRoutes,
  verificationPageRoutes,
  consoleRoutes,
  installationRoutes,
].flatMap((routes) => Object.values<Route>(routes));
