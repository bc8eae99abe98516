import type { AgentWindowLeaf } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { isRecord } from '../reading.js';
import type { AdjacentLeaf, AbsenceProof } from '../window/absence.js';
import { agentKey, windowLeafHash } from '../window/window-tree.js';
import { checkWindowAnchor, networkNotes, unchecked } from './chain-check.js';
import { rootHex, type ProofFault } from './event-proof.js';
import type { VerifyOptions } from './options.js';
import { windowLabel, windowLeafShape } from './package-shape.js';
import { type ChainCheck, UNVOUCHED, type Problem, type Vouched } from './result.js';
import {
  base58,
  both,
  count,
  hash,
  instant,
  list,
  name,
  nullable,
  object,
  oneOf,
  positive,
  uuid,
  where,
} from './shape.js';

export interface AbsenceResult {
  /** Nothing that was checked is wrong. Only the chain vouches for the root: read `vouched.anchor` as well. */
  readonly ok: boolean;
  /** `issuer` is `false`: a proof of absence is not signed. */
  readonly vouched: Vouched;
  readonly agentId: string | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly merkleRoot: string | null;
  readonly chain: ChainCheck;
  readonly detail: string;
  /** One plain sentence each. */
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  /** At most the first problem. */
  readonly problems: readonly Problem[];
}

const adjacentLeaf = nullable(object({ leaf: windowLeafShape, leafIndex: count, path: list(hash) }));

const absenceShape = both(
  object({
    v: where((value) => value === 1, '1'),
    kind: oneOf('absence'),
    agentId: uuid,
    agentKey: hash,
    before: adjacentLeaf,
    after: adjacentLeaf,
    treeSize: positive,
    merkleRoot: hash,
    txSignature: base58,
    network: name,
    windowStart: instant,
    windowEnd: instant,
  }),
  windowLabel,
);

/** Reports whether a JSON value claims to be a proof of absence. */
export function claimsAbsence(value: unknown): boolean {
  return isRecord(value) && value['kind'] === 'absence';
}

/**
 * Verifies that an agent had no event in a window, from the proof and the chain look-ups alone
 * ({@link transactionsToAsk} names the transaction). It takes the order of the leaves from the authority that anchored
 * them. Never throws, whatever `proof` is.
 */
export function verifyAbsence(proof: unknown, options: Pick<VerifyOptions, 'crypto' | 'chain'>): AbsenceResult {
  const fault = absenceShape(proof);
  if (fault !== null) {
    const path = fault.path.replace(/^\./, '');
    return refused(null, {
      code: 'absence-form',
      message: `${path === '' ? 'The proof' : path} must be ${fault.form}.`,
    });
  }
  const absence = proof as AbsenceProof;
  const found = absenceFault(absence, options.crypto.sha256);
  if (found !== null) return refused(absence, found);
  const chain = checkWindowAnchor({ ...absence, agents: absence.treeSize }, options.chain);
  if (chain.problem !== null) return { ...refused(absence, chain.problem), chain: chain.check };
  const checked = ["the agent's neighbours: next to each other, both in the tree of this root"];
  const notChecked = ['the order of all other agents of the window: it is the word of the authority that anchored it'];
  if (chain.check.checked) checked.push(`the transaction of the window on ${absence.network}`);
  else notChecked.unshift(`the transaction of the window on the chain: ${chain.check.detail}`);
  if (chain.check.checked && !chain.authorityChecked) notChecked.unshift('who anchored: no authority was given');
  if (chain.check.checked) notChecked.push(...networkNotes(absence));
  const vouched = { issuer: false, anchor: chain.authorityChecked };
  const detail = `The agent had no event in the window. ${chain.check.detail}`;
  return { ...factsOf(absence), ok: true, vouched, chain: chain.check, detail, checked, notChecked, problems: [] };
}

function absenceFault(proof: AbsenceProof, sha256: Sha256): ProofFault | null {
  const { agentId, agentKey: key, before, after, treeSize } = proof;
  if (key !== agentKey(agentId, sha256)) {
    return { code: 'absence-agent-differs', message: 'The proof is that of another agent.' };
  }
  if (isOf(before, key) || isOf(after, key)) {
    return { code: 'absence-order-differs', message: 'The agent itself is in the window.' };
  }
  if ((before !== null && before.leaf.agentKey > key) || (after !== null && after.leaf.agentKey < key)) {
    return { code: 'absence-order-differs', message: 'The agent does not stand between these neighbours.' };
  }
  const next = before === null ? 0 : before.leafIndex + 1;
  if (next !== (after === null ? treeSize : after.leafIndex)) {
    return { code: 'absence-neighbours-apart', message: 'Others stand between the neighbours.' };
  }
  for (const one of [before, after]) {
    if (one === null) continue;
    const root = rootHex(windowLeafHash(one.leaf, sha256), one.leafIndex, treeSize, one.path, sha256);
    if (root === proof.merkleRoot) continue;
    const message = `The leaf of the neighbour ${one === before ? 'before' : 'after'} does not lead to the root of the window.`;
    return { code: 'absence-root-differs', message };
  }
  return null;
}

function isOf(one: AdjacentLeaf | null, key: AgentWindowLeaf['agentKey']): boolean {
  return one !== null && one.leaf.agentKey === key;
}

function factsOf(
  proof: AbsenceProof | null,
): Pick<AbsenceResult, 'agentId' | 'windowStart' | 'windowEnd' | 'merkleRoot'> {
  return {
    agentId: proof?.agentId ?? null,
    windowStart: proof?.windowStart ?? null,
    windowEnd: proof?.windowEnd ?? null,
    merkleRoot: proof?.merkleRoot ?? null,
  };
}

function refused(proof: AbsenceProof | null, { code, message }: ProofFault): AbsenceResult {
  return {
    ...factsOf(proof),
    ok: false,
    vouched: UNVOUCHED,
    chain: unchecked(message).check,
    detail: message,
    checked: [],
    notChecked: [],
    problems: [{ code, path: '', message }],
  };
}
