import type { DryRunAnswer } from '@countersign/contracts';
import { Api } from '../api-client/api.js';
import { oneLine } from '../verify-file/describe-package.js';

export interface DryRunTarget {
  readonly baseUrl: string;
  readonly agentId: string;
  readonly email: string;
  readonly password: string;
}

/** @throws CommandFailed 1 with the service's error message */
export async function requestDryRun(
  { baseUrl, agentId, email, password }: DryRunTarget,
  body: { readonly profile: unknown; readonly from: string; readonly to: string },
): Promise<DryRunAnswer> {
  const api = new Api(baseUrl);
  try {
    const session = await api.login(email, password);
    const path = `/v1/agents/${encodeURIComponent(agentId)}/profile/dry-run`;
    return await api.json<DryRunAnswer>('POST', path, session, body);
  } finally {
    api.close();
  }
}

const UNJUDGED: readonly (readonly [keyof DryRunAnswer['notEvaluated'], string])[] = [
  ['payloadNotKept', 'payload not kept (store_payload)'],
  ['erased', 'content erased'],
  ['frozen', 'refused: agent frozen'],
  ['plan', "refused by the account's plan"],
];

/** The answer as a table, with an example for each rule. */
export function dryRunText(answer: DryRunAnswer): string {
  const { range, countedBefore, notEvaluated, flips, freezes, byRule, truncatedAt } = answer;
  const rows: readonly (readonly [string, number])[] = [
    ['checks on record', answer.checks],
    ['decided as they were', answer.unchanged],
    ['would be denied', flips.toDenied],
    ['would be allowed', flips.toAllowed],
    ...(notEvaluated.count === 0 ? [] : [['not evaluated', notEvaluated.count] as const]),
    ...UNJUDGED.flatMap(([reason, label]) =>
      notEvaluated[reason] === 0 ? [] : [[`  ${label}`, notEvaluated[reason]] as const],
    ),
    ...(freezes === 0 ? [] : [['denials that would freeze the agent', freezes] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = [
    `agent ${answer.agentId}, ${range.from} to ${range.to}, draft over version ${answer.profileVersion}`,
    ...startLine(countedBefore),
    '',
    ...rows.map(([name, count]) => `${name.padEnd(width)}  ${String(count).padStart(8)}`),
    ...(byRule.length === 0 ? [] : ['', 'to denied  to allowed  rule']),
    ...byRule.flatMap(ruleLines),
    ...(truncatedAt === null
      ? []
      : ['', `Not all: the range holds more than one answer judges. Ask again from ${truncatedAt}.`]),
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}

function startLine({ since, checks, complete }: DryRunAnswer['countedBefore']): readonly string[] {
  if (since === null) return [];
  const what = `counts start with what ${checks} checks since ${since} had counted and set`;
  return [complete ? what : `${what}; older ones are left out`];
}

function ruleLines({
  rule,
  violation_type,
  toDenied,
  toAllowed,
  examples,
}: DryRunAnswer['byRule'][number]): readonly string[] {
  const [example] = examples;
  const head = `${String(toDenied).padStart(9)}  ${String(toAllowed).padStart(10)}  ${rule ?? violation_type ?? ''}`;
  if (example === undefined) return [head];
  const { action } = example;
  const members = Object.entries(action ?? {}).filter(([, value]) => value !== null);
  const facts = members.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
  return [head, `${' '.repeat(23)}e.g. ${example.occurredAt} ${example.eventId} ${facts}`.trimEnd()];
}
