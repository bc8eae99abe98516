import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PII_KINDS } from '@countersign/contracts';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { json } from '../subjects/http.js';
import { aimLine } from '../throughput/report.js';

/** Business texts without personal data or secrets, and notations of real ones. */
const CLEAN = resolve('test-e2e/bench/detection/clean-texts.json');
const IN_THE_WILD = resolve('test-e2e/bench/detection/in-the-wild.json');
const MOST_FALSE = 0.01;
const FILE = resolve('libs/policy-engine/vectors/pii/synth_dataset_v2.json');
/** Concurrent checks. */
const LANES = 16;
const TIMED = 400;
/** First requests that do not count, as warm-up. */
const WARMING = 150;
const TEN_KILOBYTES = 'The customer of order 48213 (12 May 2026) asked why 3 of 7 items were late. '
  .repeat(135)
  .slice(0, 10_240);

interface Sentence {
  readonly full_text: string;
  readonly spans: readonly { readonly entity_type: string }[];
}

/** Kind, label of the data, minimum recall, maximum false positives. */
const AIMS: readonly (readonly [kind: string, label: string, recall: number, falsePositives: number])[] = [
  ['credit_card', 'CREDIT_CARD', 0.9, 0.02],
  ['iban', 'IBAN_CODE', 0.9, 0.02],
  ['email', 'EMAIL_ADDRESS', 0.9, 0.02],
  ['us_ssn', 'US_SSN', 0.9, 0.02],
  ['ip_address', 'IP_ADDRESS', 0.9, 0.02],
  ['phone', 'PHONE_NUMBER', 0.7, 0.05],
];

/**
 * Prints, for each kind of personal data, how many of the labelled sentences with and without it a check denies;
 * the same for notations and clean texts; then the cost of an output of 10 KB with every output rule.
 */
export async function detection(print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const instance = await Countersign.start({ dataDir: join(folder.path, 'data') });
  try {
    const probe = new Probe(instance, await instance.session());
    await labelled(probe, print);
    await inTheWild(probe, print);
    const every = { blocked_pii: PII_KINDS, block_secrets: true };
    const judged = await probe.agent({ ...every, blocked_topics: ['insider trading'], max_length: 100_000 });
    const plain = await probe.agent(null);
    const milliseconds = await probe.compare(judged, plain, TEN_KILOBYTES);
    print('an output of 10 KB under every output rule, compared with none');
    print(aimLine({ what: 'ms more a check, of the fastest tenth', figure: milliseconds, atMost: 1 }));
  } finally {
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function labelled(probe: Probe, print: (line: string) => void): Promise<void> {
  const sentences = JSON.parse(await readFile(FILE, 'utf8')) as readonly Sentence[];
  const texts = (of: readonly Sentence[]): string[] => of.map(({ full_text: text }) => text);
  for (const [kind, label, recall, falsePositives] of AIMS) {
    const agentId = await probe.agent({ blocked_pii: [kind] });
    const holding = sentences.filter(({ spans }) => spans.some(({ entity_type: type }) => type === label));
    const others = sentences.filter((sentence) => !holding.includes(sentence));
    const found = await probe.denied(agentId, texts(holding));
    const wrong = await probe.denied(agentId, texts(others));
    print(
      `${kind}: ${found} of ${holding.length} sentences that hold one, ${wrong} of ${others.length} that hold none`,
    );
    print(aimLine({ what: 'recall', figure: found / holding.length, atLeast: recall }));
    print(aimLine({ what: 'false positives', figure: wrong / others.length, atMost: falsePositives }));
  }
}

async function inTheWild(probe: Probe, print: (line: string) => void): Promise<void> {
  const clean = (JSON.parse(await readFile(CLEAN, 'utf8')) as readonly string[]).map(payloadOf);
  const written = JSON.parse(await readFile(IN_THE_WILD, 'utf8')) as Readonly<Record<string, readonly unknown[]>>;
  for (const kind of [...PII_KINDS, 'secret']) {
    const agentId = await probe.agent(kind === 'secret' ? { block_secrets: true } : { blocked_pii: [kind] });
    const ways = written[kind] ?? [];
    const found = await probe.denied(agentId, ways);
    const wrong = await probe.denied(agentId, clean);
    print(`${kind}: ${found} of ${ways.length} ways of writing it, ${wrong} of ${clean.length} texts that hold none`);
    print(aimLine({ what: 'recall', figure: found / ways.length, atLeast: 1 }));
    print(aimLine({ what: 'false positives', figure: wrong / clean.length, atMost: MOST_FALSE }));
  }
}

/** The value of a JSON text, as agents send it. */
function payloadOf(text: string): unknown {
  return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
}

/** The fastest tenth: on a busy machine most checks are interrupted. */
function fastestTenth(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN;
}

/** Creates agents with output rules, and sends their checks. */
class Probe {
  readonly #instance: Countersign;
  readonly #session: { readonly authorization: string };

  constructor(instance: Countersign, session: { readonly authorization: string }) {
    this.#instance = instance;
    this.#session = session;
  }

  async agent(outputRules: object | null): Promise<string> {
    const { baseUrl } = this.#instance.bootstrap;
    const { id } = await json<{ id: string }>(baseUrl, 'POST', '/v1/agents', this.#session, { name: 'detection' });
    const patch = { output_rules: outputRules };
    await json(baseUrl, 'PATCH', `/v1/agents/${id}/profile`, this.#session, patch);
    return id;
  }

  /** Number of the payloads that a check of this agent denies. */
  async denied(agentId: string, payloads: readonly unknown[]): Promise<number> {
    const waiting = payloads.values();
    let denied = 0;
    const lane = async (): Promise<void> => {
      for (const payload of waiting) {
        if (!(await this.#allows(agentId, payload))) denied += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return denied;
  }

  /** Milliseconds by which a check of `one` is slower than one of `other`, alternately. */
  async compare(one: string, other: string, text: string): Promise<number> {
    const times: Record<string, number[]> = { [one]: [], [other]: [] };
    for (let n = 0; n < TIMED; n += 1) {
      for (const agentId of [one, other]) {
        const begunAt = performance.now();
        if (!(await this.#allows(agentId, text))) throw new Error('a text that holds nothing was denied');
        if (n >= WARMING) times[agentId]!.push(performance.now() - begunAt);
      }
    }
    return fastestTenth(times[one]!) - fastestTenth(times[other]!);
  }

  async #allows(agentId: string, payload: unknown): Promise<boolean> {
    const { baseUrl, apiKey } = this.#instance.bootstrap;
    const body = { agentId, action: { type: 'llm_response', payload } };
    const answer = await json<{ allowed: boolean }>(baseUrl, 'POST', '/v1/check', { 'x-service-key': apiKey }, body);
    return answer.allowed;
  }
}
