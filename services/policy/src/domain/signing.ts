import { createHash } from 'node:crypto';
import { MOST_AGENT_KEYS } from '@countersign/contracts';
import type { AgentKey, AgentKeyRecord, AgentSigning, AgentSigningRecord, NewAgentKey } from '@countersign/contracts';
import { refuseEd25519 } from '@countersign/evidence';
import { isoTime, next } from './agent.js';
import type { Agent } from './agent.js';
import { byOf, INACTIVE, refused } from './change.js';
import type { Actor, Change } from './change.js';

/** A change of how an agent signs its checks. */
export type SigningChange =
  | { readonly kind: 'add'; readonly id: string; readonly publicKey: string }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'require'; readonly required: boolean };

const NONE: AgentSigning = { required: false, keys: [] };
const NO_SIGNATURE = new Uint8Array(64);

export function signingRecord({ facts }: Agent): AgentSigningRecord {
  const { required, keys } = facts.signing ?? NONE;
  return { requireSignature: required, signingKeys: keys.map((key): AgentKeyRecord => ({ ...key })) };
}

/** The key that a body names, or what to change in it. */
export function readNewKey({ publicKey, jwk }: NewAgentKey): { id: string; publicKey: string } | string {
  const key = publicKey ?? jwk?.x;
  if (key === undefined || (publicKey !== undefined && jwk !== undefined)) return 'send publicKey or jwk, and not both';
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.toString('base64url') !== key) return 'the key is not 32 bytes in base64url';
  const refusal = refuseEd25519(bytes, NO_SIGNATURE);
  if (refusal === 'key-length' || refusal === 'key-encoding') {
    return 'the key is no Ed25519 public key: with a point of small order, everything would be signed';
  }
  return { id: thumbprint(key), publicKey: key };
}

/** RFC 7638 section 3, of an OKP key (RFC 8037 section 2): SHA-256 of its required members in their order, in base64url. */
export function thumbprint(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}

export function changeSigning(agent: Agent, change: SigningChange, actor: Actor, nowMs: number): Change {
  if (agent.facts.status === 'inactive') return refused(409, INACTIVE);
  const signing = changed(agent.facts.signing ?? NONE, change, nowMs);
  if (typeof signing === 'string') return refused(change.kind === 'remove' ? 404 : 409, signing);
  if (signing === null) return { kind: 'unchanged', agent };
  const committed = {
    requireSignature: signing.required,
    signingKeys: signing.keys.map(({ id, publicKey }) => ({ id, publicKey })),
  };
  return {
    kind: 'changed',
    agent: next(agent, { signing }, nowMs),
    event: {
      type: 'agent.updated',
      committed: { ...committed, by: byOf(actor) },
      ...{ profileVersion: null, profileSha256: null },
    },
  };
}

/** `null`: it is so already. A text says why it cannot be. */
function changed(signing: AgentSigning, change: SigningChange, nowMs: number): AgentSigning | string | null {
  const { required, keys } = signing;
  switch (change.kind) {
    case 'add': {
      const { id, publicKey } = change;
      if (keys.some((key) => key.id === id)) return null;
      if (keys.length >= MOST_AGENT_KEYS) return `the agent has ${MOST_AGENT_KEYS} keys: remove one first`;
      const key: AgentKey = { id, publicKey, createdAt: isoTime(nowMs) };
      return { required, keys: [...keys, key] };
    }
    case 'remove': {
      const left = keys.filter(({ id }) => id !== change.id);
      return left.length === keys.length ? 'the agent has no such key' : { required, keys: left };
    }
    case 'require':
      if (change.required === required) return null;
      if (change.required && keys.length === 0) return 'the agent has no key to sign with: register one first';
      return { required: change.required, keys };
  }
}
