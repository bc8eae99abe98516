import { hash } from 'node:crypto';
import { CHECK, RULED_CHECK, SEEN_CHECK } from './lua/check.js';
import {
  AGENT_USAGE,
  ANSWER_OF,
  CLAIM_FIGURES,
  FREEZE,
  IS_FROZEN,
  LOOK,
  NOW,
  RAISE,
  RULE_BALANCES,
  UNFREEZE,
  USAGE,
  USE_ONCE,
  VERSION,
} from './lua/flags.js';
import { BEGIN, GIVE_UP, REPLAY, RESTORE, SERVE } from './lua/rebuild.js';
import { ANSWERED, DECIDE_APPROVAL, GIVE_BACK, GIVE_BACK_HELD, TAKE_BACK } from './lua/settle.js';

/** A script with its SHA-1. */
export interface Script {
  readonly name: string;
  readonly lua: string;
  readonly sha1: string;
}

const script = (name: string, lua: string): Script => ({ name, lua, sha1: hash('sha1', lua) });

export const SCRIPTS = {
  check: script('check', CHECK),
  seenCheck: script('seenCheck', SEEN_CHECK),
  ruledCheck: script('ruledCheck', RULED_CHECK),
  answered: script('answered', ANSWERED),
  takeBack: script('takeBack', TAKE_BACK),
  giveBack: script('giveBack', GIVE_BACK),
  giveBackHeld: script('giveBackHeld', GIVE_BACK_HELD),
  decideApproval: script('decideApproval', DECIDE_APPROVAL),
  look: script('look', LOOK),
  now: script('now', NOW),
  raise: script('raise', RAISE),
  version: script('version', VERSION),
  freeze: script('freeze', FREEZE),
  unfreeze: script('unfreeze', UNFREEZE),
  isFrozen: script('isFrozen', IS_FROZEN),
  answerOf: script('answerOf', ANSWER_OF),
  claims: script('claims', CLAIM_FIGURES),
  useOnce: script('useOnce', USE_ONCE),
  usage: script('usage', USAGE),
  agentUsage: script('agentUsage', AGENT_USAGE),
  ruleBalances: script('ruleBalances', RULE_BALANCES),
  begin: script('begin', BEGIN),
  restore: script('restore', RESTORE),
  replay: script('replay', REPLAY),
  serve: script('serve', SERVE),
  giveUp: script('giveUp', GIVE_UP),
} as const;
