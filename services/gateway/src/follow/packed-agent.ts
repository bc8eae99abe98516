import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AgentFacts, AgentSigning, BehaviorProfile } from '@countersign/contracts';

/**
 * An agent in the gateway's read model: its profile as JSON text, compressed where it is long, because most agents are
 * idle.
 */
export interface PackedAgent {
  readonly accountId: string;
  readonly name: string;
  readonly status: AgentFacts['status'];
  readonly registeredByKey: AgentFacts['registeredByKey'];
  /** `null`: it has never had a key to sign with. */
  readonly signing: AgentSigning | null;
  /** Of an agent that is not inactive; `null`: none. */
  readonly oauthClientIds: readonly string[] | null;
  readonly profileVersion: number;
  readonly profileSha256: string;
  /** JSON, or JSON in UTF-8 by DEFLATE. */
  readonly profile: string | Uint8Array;
  /** Characters of the JSON. */
  readonly profileLength: number;
}

/** Shorter text is stored uncompressed: compression would save less than its object takes. */
const PACKED_FROM = 4096;
/** The fastest: a profile is compressed at every change. */
const LEVEL = 1;

export function packAgent({
  accountId,
  name,
  status,
  registeredByKey,
  signing,
  oauthClientIds = [],
  profile,
  profileSha256,
}: AgentFacts): PackedAgent {
  const text = JSON.stringify(profile);
  const stored = text.length < PACKED_FROM ? text : compressed(text);
  return {
    accountId,
    name,
    status,
    registeredByKey,
    signing: signing ?? null,
    oauthClientIds: status === 'inactive' || oauthClientIds.length === 0 ? null : oauthClientIds,
    profileVersion: profile.version,
    profileSha256,
    profile: stored,
    profileLength: text.length,
  };
}

export function profileOf({ profile }: Pick<PackedAgent, 'profile'>): BehaviorProfile {
  const text = typeof profile === 'string' ? profile : inflateRawSync(profile).toString('utf8');
  return JSON.parse(text) as BehaviorProfile;
}

/** Copied, because zlib's buffer is part of a larger one. */
function compressed(text: string): Uint8Array {
  return new Uint8Array(deflateRawSync(text, { level: LEVEL }));
}
