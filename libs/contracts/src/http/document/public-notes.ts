import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

/** What anybody may ask, and how a process tells of itself. */
export const PUBLIC_NOTES: OperationNotes = {
  listKeys: {
    description:
      'With the time in which each was valid, and of a revoked one the reason: what it signed does not verify any more. `anchorAuthorities` are the addresses that sign anchors. Keep what you rely on: a key that comes with the report proves nothing.',
  },
  getKey: { description: 'For `countersign verify --key` and `openssl`. Its id is a hash of it, so it never changes.' },
  getKeySet: { description: 'For libraries that read JWK sets. Revoked keys are not in it.' },
  verifyInclusion: {
    description:
      'Send a whole package, or one of its events with the proof. The signature is checked with the keys of this service, each path is walked, and each transaction is looked up on the chain. Who does not want to trust the answer runs `countersign verify`, or the page at `/verify`, which uploads nothing.',
  },
  verifyChain: {
    body: {
      anchor_tx_signature: '5'.repeat(88),
      sha256: '0'.repeat(64),
      signature: 'c2lnbmF0dXJl',
    },
    answers: { 500: { confirmed: false, error: 'the chain could not be asked' } },
    description:
      'Whether the report existed when its transaction did. A node that refuses to look makes this “not checked”, never “not on the chain”.',
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
      'For those who deal with an agent: that a wallet registered it, whether it is active, and how many of its actions are on record. A frozen or inactive agent is still found, with that status.',
  },
  getPublicReport: {
    description: 'A report that is not public is answered as one that does not exist, also one that was withdrawn.',
  },
  getReportByPdf: {
    description:
      'Whoever was given a PDF finds the signed package behind it: hash the file and ask. It needs no opt-in, since only who has the file knows the hash.',
  },
  getVerificationPage: {
    description:
      'For people without a command line: it verifies a package or its PDF in the browser, and uploads nothing.',
  },
  getVerificationPageFile: { description: 'What the page consists of, served under the same strict policy.' },
  getRoot: {
    description: 'For a person who opens the address in a browser, and for a program that asks what answers there.',
  },
  getHealth: { description: 'For a supervisor that restarts what does not answer.' },
  getReadiness: {
    answers: { 503: { ready: false, waitingFor: ['identity: the store cannot be reached'] } },
    description: 'For a balancer. While it is 503, `waitingFor` says in words what is missing.',
  },
  getMetrics: { description: 'For Prometheus. Keep it inside: the edge proxy does not pass it on.' },
  getOpenApi: { description: 'The same schemas that requests are judged by.' },
  getDocs: { description: 'This page. Everything that it shows comes from this process; it asks nobody else.' },
  getDocsFile: {
    description:
      'With the hash in its name a file may be kept for a year; without it, it is asked for again each time.',
  },
  getAuthzenConfiguration: { description: 'So that AuthZEN clients find the two evaluation routes by themselves.' },
};
