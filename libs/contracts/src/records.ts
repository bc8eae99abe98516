import type { ComplianceScope } from './compliance-scope.js';
import type { FactMember, LimitMember, RuleMember } from './http/rules.js';
import type { KeptRules } from './kept-rules.js';
import type { MerklePath } from './package.js';
import type { JsonValue } from './leaf.js';

/**
 * A message of a compacted topic. `version` rises by at least one with every change and never falls;
 * a consumer ignores a version that is not above its own. `value: null`: the thing was removed.
 */
export interface VersionedRecord<T> {
  readonly v: 1;
  readonly id: string;
  readonly version: number;
  readonly value: T | null;
}

export const PLANS = ['sandbox', 'core', 'scale', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Most agents of an account on a plan, inactive ones included: gateways and evidence keep those as well. */
export const AGENTS_OF_PLAN: Readonly<Record<Plan, number>> = {
  sandbox: 100,
  core: 1_000,
  scale: 10_000,
  enterprise: 100_000,
};

/** Maximum size of a profile in canonical JSON, bytes. */
export const MAX_PROFILE_BYTES = 65_536;

export const ROLES = ['auditor', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Topic `accounts`. */
export interface AccountFacts {
  readonly name: string;
  readonly plan: Plan;
  /** The cap in force, actions per period (paid: calendar month UTC; sandbox: no end); `null` is none. */
  readonly actionCap: number | null;
  /** Sandbox only, ISO time; `null` otherwise. */
  readonly sandboxExpiresAt: string | null;
  /** Initial rules of agents that are registered by an API key; absent: none are set. */
  readonly defaultProfile?: Partial<Omit<BehaviorProfile, 'agent_id' | 'version'>>;
  /** Seconds between anchors by plan (the writer of events applies an override). */
  readonly cadenceSeconds: number;
  /** Issuers whose access tokens say on whose behalf an agent of the account acts; absent: none. */
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** Each user enrols a second factor at the next sign-in with a password. Absent: false. */
  readonly secondFactorRequired?: true;
}

/** An issuer of access tokens (RFC 9068) that an account trusts. */
export interface TrustedIssuer {
  readonly id: string;
  /** As the claim `iss` has it. */
  readonly issuer: string;
  /** Address of its key set (RFC 7517). */
  readonly jwksUri: string;
  /** One of the claim `aud`. */
  readonly audience: string;
  /** Names of the claims that are read; `null`: that claim is not read. */
  readonly claims: {
    /** Must be the id or the name of the agent that checks. */
    readonly agent: string | null;
    readonly principal: string;
    readonly session: string | null;
  };
  /** In lower case: the agents that it is trusted for; `null`: every agent of the account. */
  readonly agentIds: readonly string[] | null;
  /** Every check of these agents must come with a token. */
  readonly required: boolean;
  readonly createdAt: string;
}

/**
 * Rights of an API key: ask for decisions (`check`), report outcomes (`outcome`), have texts and tools judged (`scan`),
 * create agents (`register`), read its agents and their profiles (`read`), put profiles in force (`policy`).
 */
export const API_KEY_RIGHTS = ['check', 'outcome', 'scan', 'register', 'read', 'policy'] as const;
export type ApiKeyRight = (typeof API_KEY_RIGHTS)[number];

/** Topic `api-keys`. */
export interface ApiKeyFacts {
  readonly accountId: string;
  readonly name: string;
  /** First 16 characters of the key. */
  readonly prefix: string;
  /** SHA-256 of the whole key, lower-case hex. */
  readonly sha256: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** The key that the service issued with the account: it has every right for every agent and does not expire. */
  readonly first?: true;
  /** Absent in records from before keys had rights: see `rightsOf`. */
  readonly rights?: readonly ApiKeyRight[];
  /** In lower case; absent: every agent of the account. */
  readonly agentIds?: readonly string[];
  /** ISO time of expiry; absent: it does not expire. */
  readonly expiresAt?: string;
  /** Id of the user who issued it; absent in records from before this was recorded. */
  readonly createdBy?: string;
}

/** Topic `sessions`. */
export interface SessionFacts {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

export type AgentStatus = 'active' | 'frozen' | 'inactive';
export type ProfileMode = 'enforce' | 'observe';
export type SpendingWindow = 'action' | 'day' | 'month';

export interface RateLimit {
  readonly max: number;
  readonly per_seconds: number;
}

/** Kinds of personal data; of several in one payload the first in this order is reported. */
export const PII_KINDS = [
  'credit_card',
  'iban',
  'us_ssn',
  'us_itin',
  'uk_nhs',
  'at_svnr',
  'be_rrn',
  'cz_rodne_cislo',
  'de_steuer_id',
  'es_dni',
  'fi_hetu',
  'fr_nir',
  'ie_pps',
  'it_codice_fiscale',
  'nl_bsn',
  'pl_pesel',
  'pt_nif',
  'ro_cnp',
  'se_personnummer',
  'email',
  'phone',
  'ip_address',
  'mac_address',
  'crypto_wallet',
] as const;
export type PiiKind = (typeof PII_KINDS)[number];

export interface OutputRules {
  readonly blocked_pii: readonly string[];
  readonly block_secrets: boolean;
  readonly blocked_topics: readonly string[];
  readonly max_length: number | null;
}

/** Members that a profile may require every action to name. */
export const REQUIRED_MEMBERS = ['cost', 'url', 'data_scope', 'tool'] as const;
export type RequiredMember = (typeof REQUIRED_MEMBERS)[number];

/** The behavior profile exactly as `GET /v1/agents/{id}/profile` returns it; `profileSha256` is a hash of its JCS. */
export interface BehaviorProfile {
  readonly agent_id: string;
  readonly version: number;
  readonly mode: ProfileMode;
  readonly allowed_apis: readonly string[];
  readonly blocked_apis: readonly string[];
  /** US dollars. */
  readonly spending_limit: number | null;
  readonly spending_window: SpendingWindow;
  readonly rate_limit: RateLimit | null;
  readonly off_limits_actions: readonly string[];
  readonly allowed_actions: readonly string[];
  readonly allowed_data_scopes: readonly string[];
  readonly blocked_data_scopes: readonly string[];
  readonly freeze_on_violation: boolean;
  readonly store_payload: boolean;
  readonly output_rules: OutputRules | null;
  /** Absent if it is not set, so that the hash of a profile without it is the same as before the member existed. */
  readonly require?: readonly RequiredMember[];
  /** Rules with conditions; absent if there are none. */
  readonly rules?: readonly RuleMember[];
  /** Absent if there are none. */
  readonly facts?: readonly FactMember[];
  /** Absent if there are none. */
  readonly limits?: readonly LimitMember[];
}

/** A key with which an agent signs its checks. */
export interface AgentKey {
  /** Its thumbprint (RFC 7638), the `keyid` of signatures. */
  readonly id: string;
  /** Ed25519, 32 bytes in base64url. */
  readonly publicKey: string;
  readonly createdAt: string;
}

/** How an agent signs its checks. */
export interface AgentSigning {
  /** A check without a valid signature is refused. */
  readonly required: boolean;
  /** Oldest first. */
  readonly keys: readonly AgentKey[];
}

/** Topic `agents`: the agent and its profile in one record, so that no consumer sees one without the other. */
export interface AgentFacts {
  readonly accountId: string;
  readonly name: string;
  readonly type: string | null;
  readonly purpose: string | null;
  readonly version: string | null;
  readonly status: AgentStatus;
  readonly blockchain_ssn: string | null;
  readonly wallet_address: string | null;
  readonly chain_tx_signature: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly registered_at: string | null;
  /** Id of the API key that registered it, unless that is the account's first: see `needsOwnKey`. Never changes. */
  readonly registeredByKey?: string;
  /** Time of the last unfreeze (counters' clock, ms): a denial before it no longer freezes. 0: never. */
  readonly unfrozenAtMs: number;
  readonly profile: BehaviorProfile;
  readonly profileSha256: string;
  /** Absent: it has never had a key. */
  readonly signing?: AgentSigning;
  /** OAuth clients of the agent; absent: it has never had one. One of an inactive agent is free for others. */
  readonly oauthClientIds?: readonly string[];
  /** Who changed the profile last; absent: it has not been changed since this is recorded. */
  readonly profileEditor?: { readonly kind: 'user' | 'api_key' | 'system'; readonly id: string };
}

/** Topic `signing-keys`: public facts only. */
export interface SigningKeyFacts {
  /** Raw Ed25519 public key, 32 bytes, lower-case hex. */
  readonly publicKeyHex: string;
  readonly status: 'published' | 'active' | 'retired' | 'revoked';
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Of a revoked key: when (ISO) and why. */
  readonly revocation?: { readonly at: string; readonly reason: string };
}

/**
 * Topic `usage`, written by policy: counters are rebuilt from it and the tail of the log.
 * Key: `position`, `account:<id>`, `agent:<id>`, `claim:<account id>:<key hash>`.
 */
export type UsageFacts =
  /** Everything below these offsets of `agent-events` is in the other records. */
  | { readonly kind: 'position'; readonly offsets: Readonly<Record<number, number>> }
  | {
      readonly kind: 'account';
      /** `2026-11` (UTC) of the paid period. */
      readonly period: string;
      readonly actionsInPeriod: number;
      readonly actionsEver: number;
      /** `<partition>` → offset up to which (exclusive) it has counted. */
      readonly offsets: Readonly<Record<number, number>>;
    }
  | {
      readonly kind: 'agent';
      readonly partition: number;
      readonly offset: number;
      readonly day: string;
      readonly dayMicros: number;
      readonly month: string;
      readonly monthMicros: number;
      /** Refunds in the day's and in the month's sum; absent: none. */
      readonly dayBackMicros?: number;
      readonly monthBackMicros?: number;
      /** Times (ms) of the checks that count towards the rate limit, oldest first, within its window. */
      readonly rateTimes: readonly number[];
      /** Greatest `order` of the envelopes of its checks; absent: 0. */
      readonly order?: number;
      /** Facts that are set and amounts that count towards limits; absent: none. */
      readonly rules?: KeptRules;
    }
  | {
      readonly kind: 'claim';
      readonly eventId: string;
      readonly bodySha256: string;
      readonly occurredAtMs: number;
      /** Absent in older records, whose allowed answers are not replayed. */
      readonly profileVersion?: number;
      readonly answer: JsonValue;
    };

/** Topic `anchor-requests`: requests a transaction of its own for a report. Key: report id. */
export interface AnchorRequest {
  readonly reportId: string;
  /** Content hash, lower-case hex. */
  readonly contentHash: string;
}

export interface AgentWindowFacts {
  readonly agentId: string;
  readonly agentKey: string;
  readonly count: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly agentRoot: string;
  readonly leafIndex: number;
}

/** Topic `anchors`. Keys: `authority:<address>`, `cut:<cadence>:<number>`, `window:<id>:<chunk>`, `report:<id>`. */
export type AnchorFacts =
  | {
      readonly kind: 'authority';
      readonly address: string;
      readonly network: string;
      readonly validFrom: string | null;
      readonly validTo: string | null;
    }
  | {
      /** The end of a window of one cadence: the window holds events from the previous cut's offsets up to `offsets` (exclusive). */
      readonly kind: 'cut';
      readonly cadenceSeconds: number;
      readonly number: number;
      readonly windowStart: string;
      readonly windowEnd: string;
      readonly offsets: Readonly<Record<number, number>>;
      /** Agents whose leaves of this cadence go into a later window, because their cadence changed within this one. */
      readonly carried: readonly string[];
    }
  | {
      /** A window whose transaction is finalized; its agents in chunks of at most 1,000, in agentKey order. */
      readonly kind: 'window';
      readonly windowId: string;
      readonly cadenceSeconds: number;
      readonly windowStart: string;
      readonly windowEnd: string;
      readonly merkleRoot: string;
      readonly prev: string;
      readonly agentCount: number;
      readonly eventCount: number;
      readonly txSignature: string;
      readonly slot: number;
      readonly blockHeight: number;
      readonly anchoredAt: string;
      readonly network: string;
      readonly authority: string;
      readonly chunk: number;
      readonly chunks: number;
      readonly agents: readonly AgentWindowFacts[];
    }
  | {
      readonly kind: 'report';
      readonly reportId: string;
      readonly contentHash: string;
      readonly txSignature: string;
      readonly slot: number;
      readonly blockHeight: number;
      readonly anchoredAt: string;
      readonly network: string;
      readonly authority: string;
    };

/** Topic `agent-heads`. */
export interface AgentHeadFacts {
  readonly lastSequence: number;
  /** `action.checked` events. */
  readonly checks: number;
}

/** Topic `reports`: public facts of an issued report; its body lies in the blob store under `sha256`. */
export interface ReportFacts {
  readonly accountId: string;
  readonly createdAt: string;
  readonly format: 'json' | 'pdf';
  readonly frameworks: readonly string[];
  readonly public: boolean;
  readonly sha256: string;
  readonly contentHash: string;
  readonly signature: string;
  readonly keyId: string;
  readonly pdfSha256: string | null;
  /** Set when an erasure withdrew the stored body. */
  readonly withdrawn: string | null;
}

/** Topic `compliance-scopes`, key: account id. It determines how long content is kept. */
export interface DeclaredScope {
  /** Declaration for each framework; undeclared ones are absent. */
  readonly scope: ComplianceScope;
  /** ISO time of the declaration. */
  readonly declaredAt: string;
}

/** Position of an agent in an anchored window, from which a proof is built. */
export interface AgentWindowProof {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly blockHeight: number;
  readonly anchoredAt: string;
  readonly network: string;
  readonly leaf: {
    readonly agentKey: string;
    readonly count: number;
    readonly firstSequence: number;
    readonly lastSequence: number;
    readonly agentRoot: string;
  };
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: MerklePath;
}

/** Topic `dead-letters`. */
export interface DeadLetter {
  readonly v: 1;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly consumer: string;
  readonly problem: string;
  /** SHA-256 of the message, lower-case hex. The message itself may hold content, so it is not copied. */
  readonly sha256: string;
  readonly bytes: number;
  readonly parkedAt: string;
}
