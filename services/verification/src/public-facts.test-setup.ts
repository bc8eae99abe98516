import { readFileSync } from 'node:fs';
import type { AgentFacts, AgentHeadFacts, AnchorFacts, ReportFacts, SigningKeyFacts } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { blockchainSsn, publicKeyFromPem, toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { versionedRecord } from '@countersign/topics';

interface Vector {
  readonly package: {
    readonly sha256: string;
    readonly signature: string;
    readonly publicKeyUrl: string;
    readonly timestamp: { readonly message: string; readonly anchor: string; readonly anchor_tx_signature: string };
    readonly events: readonly { readonly event: object }[];
    readonly inclusionProofs: readonly object[];
  };
  readonly keys: readonly [{ readonly pem: string; readonly validFrom: string | null }];
  readonly chain: { readonly authorities: readonly { readonly address: string; readonly network: string }[] };
}

const file = new URL('../../../libs/evidence/vectors/valid-small.json', import.meta.url);
const vector = JSON.parse(readFileSync(file, 'utf8')) as Vector;
export const PACKAGE = vector.package;
export const KEY_ID = PACKAGE.publicKeyUrl.slice(-'key_0123456789abcdef'.length);
export const PEM = vector.keys[0].pem;

/** Byte for byte as it is stored. */
export const PACKAGE_TEXT = JSON.stringify(PACKAGE);
export const OPEN_REPORT = '0198a1b2-0000-4000-8000-00000000000a';
export const CLOSED_REPORT = '0198a1b2-0000-4000-8000-00000000000b';
export const WITHDRAWN_REPORT = '0198a1b2-0000-4000-8000-00000000000c';
export const BROKEN_REPORT = '0198a1b2-0000-4000-8000-00000000000d';
export const REASON = 'an event of it was erased';
export const PDF = '12'.repeat(32);
export const CLOSED_PDF = '78'.repeat(32);

export const AGENT = '0198a1b2-0000-4000-8000-000000000001';
const TRANSACTION = '5'.repeat(88);
export const WALLET = 'W'.repeat(44);
export const SSN = blockchainSsn(
  { agentId: AGENT, transactionSignature: TRANSACTION, walletAddress: WALLET },
  nodeCrypto.sha256,
);

const key: SigningKeyFacts = {
  publicKeyHex: toHex(publicKeyFromPem(PEM)!),
  status: 'active',
  validFrom: vector.keys[0].validFrom,
  validTo: null,
};

const report: ReportFacts = {
  accountId: 'an account',
  createdAt: '2026-03-02T12:00:00.000Z',
  format: 'pdf',
  frameworks: ['soc2'],
  public: true,
  sha256: PACKAGE.sha256,
  contentHash: PACKAGE.timestamp.message.slice(-64),
  signature: PACKAGE.signature,
  keyId: KEY_ID,
  pdfSha256: PDF,
  withdrawn: null,
};

const authority: AnchorFacts = { kind: 'authority', ...vector.chain.authorities[0]!, validFrom: null, validTo: null };

const agent: AgentFacts = {
  accountId: 'an account',
  name: 'a name',
  type: null,
  purpose: 'a purpose',
  version: null,
  status: 'active',
  blockchain_ssn: null,
  wallet_address: null,
  chain_tx_signature: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  registered_at: null,
  unfrozenAtMs: 0,
  profile: { agent_id: AGENT } as AgentFacts['profile'],
  profileSha256: 'ab'.repeat(32),
};

function registered(status: AgentFacts['status']): AgentFacts {
  return {
    ...agent,
    status,
    blockchain_ssn: SSN,
    wallet_address: WALLET,
    chain_tx_signature: TRANSACTION,
    registered_at: '2026-01-02T00:00:00.000Z',
  };
}

/** Records that the owners of the topics have published: one agent from unregistered to inactive, one never registered, four reports. */
export const PUBLISHED: readonly NewRecord[] = [
  versionedRecord('signing-keys', KEY_ID, 1, key),
  versionedRecord('anchors', `authority:${vector.chain.authorities[0]!.address}`, 1, authority),
  versionedRecord('agents', AGENT, 1, agent),
  versionedRecord('agents', '0198a1b2-0000-4000-8000-000000000002', 1, agent),
  versionedRecord('agents', AGENT, 2, registered('active')),
  versionedRecord('agents', AGENT, 3, registered('frozen')),
  versionedRecord('agents', AGENT, 4, registered('inactive')),
  versionedRecord<AgentHeadFacts>('agent-heads', AGENT, 7, { lastSequence: 7, checks: 5 }),
  versionedRecord('reports', OPEN_REPORT, 1, { ...report, public: false }),
  versionedRecord('reports', OPEN_REPORT, 2, report),
  versionedRecord('reports', CLOSED_REPORT, 1, {
    ...report,
    public: false,
    sha256: 'aa'.repeat(32),
    pdfSha256: CLOSED_PDF,
  }),
  versionedRecord('reports', WITHDRAWN_REPORT, 1, {
    ...report,
    sha256: 'bb'.repeat(32),
    pdfSha256: '34'.repeat(32),
    withdrawn: REASON,
  }),
  versionedRecord('reports', BROKEN_REPORT, 1, { ...report, sha256: 'dd'.repeat(32), pdfSha256: '56'.repeat(32) }),
];
