import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

/** Public routes, and probes of a process. */
export const PUBLIC_NOTES: OperationNotes = {
  listKeys: {
    description:
      'With the validity of each key, and the reason of a revocation: signatures of a revoked key do not verify any more. `anchorAuthorities` are the addresses that sign anchors. Store the keys that you rely on: a key that comes with the report proves nothing.',
  },
  getKey: {
    description:
      'For `countersign verify --key` and `openssl`. The id is a hash of the key, so the answer never changes.',
  },
  getKeySet: { description: 'For libraries that read JWK sets, without revoked keys.' },
  verifyInclusion: {
    description:
      'Send a whole package, or one of its events with the proof. The service checks the signature with its own keys, every path, and every transaction on the chain. To verify without trusting this service, use `countersign verify`, or the page at `/verify`, which uploads nothing.',
  },
  verifyChain: {
    body: {
      anchor_tx_signature: '5'.repeat(88),
      sha256: '0'.repeat(64),
      signature: 'c2lnbmF0dXJl',
    },
    answers: { 500: { confirmed: false, error: 'the chain could not be asked' } },
    description:
      'Checks that the report existed at the time of its transaction. If the node refuses the lookup, the result is “not checked”, never “not on the chain”.',
  },
  lookUpAgent: {
    answers: {
      200: {
        verified: true,
        agent_type: 'assistant',
        registered_at: EXAMPLE.at,
        created_at: EXAMPLE.at,
        action_count: 1204,
        status: 'Active',
        owner_wallet: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      },
    },
    description:
      'For parties that interact with an agent: the wallet that registered it, its status, and the number of its recorded actions. Frozen and inactive agents are found as well, with that status.',
  },
  getPublicReport: {
    description: 'A report that is not public, or that was withdrawn, gets the same answer as one that does not exist.',
  },
  getReportByPdf: {
    description:
      'Finds the signed package of a PDF by the hash of the file. It needs no opt-in, since only holders of the file know the hash.',
  },
  getSharedReport: {
    answers: { 404: { error: 'no link is valid with this token' } },
    description:
      'For the holder of a link that `POST /v1/reports/{id}/shares` made. A link that was revoked, has ended or never was, and one to a report that was withdrawn, get the same answer. Each answer with the report is counted, with the address of its caller, before it is sent; one to `HEAD` has no report, and is not counted. Verify what you get: `npx countersign verify`, or `/verify`.',
  },
  getVerificationPage: {
    description:
      'For users without a command line: it verifies a package or its PDF in the browser, and uploads nothing.',
  },
  getVerificationPageFile: {
    description: 'The files of the page, served with the same strict content security policy.',
  },
  getConsole: {
    description:
      'Sign in with the address and password of `bootstrap.json`. The page loads nothing from other origins, and asks the routes of this document with a session cookie that no script can read.',
  },
  getConsoleFile: { description: 'The files of the page, served with the same strict content security policy.' },
  getInstallationState: {
    answers: {
      200: {
        asOf: EXAMPLE.at,
        services: [
          { name: 'gateway', state: 'ready', waitingFor: [], problem: null },
          { name: 'anchoring', state: 'waiting', waitingFor: ['the chain cannot be reached'], problem: null },
        ],
        consumerLag: [{ service: 'audit-log', messages: 0 }],
        eventLoop: [{ process: 'countersign', thread: 'edge', p50Seconds: 0.0201, p99Seconds: 0.0214 }],
        chainReachable: false,
        windowsWaiting: 3,
        lastWindowAgeSeconds: 12.4,
        alerts: { waiting: 0, oldestDueSeconds: 0 },
        checks: { count: 1240, p50Seconds: 0.0021, p95Seconds: 0.0043, p99Seconds: 0.0088 },
      },
      404: { error: 'the state of the installation is not shown here: COUNTERSIGN_CONSOLE_OPERATIONS is not true' },
    },
    description:
      'For those who run the installation. The figures are of all accounts, so the route is off where accounts are shared by an address that others reach. A service that does not answer is `unknown`, never ready. Answers are read at most once a second.',
  },
  getRoot: {
    description: 'For users who open the address in a browser, and for programs that probe it.',
  },
  getHealth: { description: 'For a supervisor that restarts processes that do not answer.' },
  getReadiness: {
    answers: { 503: { ready: false, waitingFor: ['identity: the store cannot be reached'] } },
    description: 'For a load balancer. While it is 503, `waitingFor` lists what is missing.',
  },
  getMetrics: { description: 'For Prometheus. Keep it internal: the edge proxy does not forward it.' },
  getOpenApi: { description: 'From the same schemas that validate requests.' },
  getDocs: { description: 'This page. All of its content comes from this process; it makes no other requests.' },
  getDocsFile: {
    description: 'A file with a hash in its name may be cached for a year; others are requested each time.',
  },
  getAuthzenConfiguration: { description: 'For AuthZEN clients, to discover the two evaluation routes.' },
};
