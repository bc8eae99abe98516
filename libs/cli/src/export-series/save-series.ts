import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Api, bytesOf, type Answer } from '../api-client/api.js';
import { visible } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { isBusy, sendAgain, type Sent } from './send-again.js';

export interface SeriesRequest {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly folder: string;
  /** ISO. */
  readonly from: string;
  readonly to: string;
  readonly agentIds: readonly string[];
  readonly frameworks: readonly string[];
  readonly eventsPerPackage: number;
  /** Shows a line of progress. */
  readonly say: (line: string) => void;
}

type Session = Awaited<ReturnType<Api['login']>>;

interface SavedPackage {
  readonly reportId: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A request and what is saved of it: a later run continues after the last package. */
interface Progress {
  readonly request: Pick<SeriesRequest, 'from' | 'to' | 'agentIds' | 'frameworks'>;
  readonly packages: readonly SavedPackage[];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;
/** Characters of a refusal that are shown. */
const SHOWN_OF_A_REFUSAL = 2_000;
const PROGRESS = 'progress.json';
const MANIFEST = 'series.json';

/**
 * Exports a range as packages that each fit, and the series that joins them, into a folder. After each package the
 * folder says how far it is: repeated after an interruption, it issues only what is missing. Packages are streamed.
 * @throws CommandFailed 1 if something is refused or breaks off; 64 if the folder holds another range
 */
export async function saveSeries(request: SeriesRequest): Promise<void> {
  const { folder, say } = request;
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(EXIT.wrong, `cannot write ${folder} (${error.code}): name another with --out`);
  });
  const found = await progressOf(folder, request);
  const asked = found.request;
  let packages = found.packages;
  say(`${asked.from} to ${asked.to}, UTC, into ${folder}`);
  if (found.endBefore !== null) say(`an earlier run was to end at ${found.endBefore}: it continues up to ${asked.to}`);
  if (packages.length > 0) say(`${packages.length} packages are there, up to ${packages.at(-1)!.to}`);
  const api = new Api(request.baseUrl);
  try {
    const session = await api.login(request.email, request.password);
    const startedMs = Date.now();
    for (let from = packages.at(-1)?.to ?? asked.from; from < asked.to; from = packages.at(-1)!.to) {
      const saved = await savePackage(api, request, { ...asked, from }, session, packages.length + 1);
      packages = [...packages, saved];
      await writeWhole(join(folder, PROGRESS), JSON.stringify({ request: asked, packages } satisfies Progress));
      const share = (Date.parse(saved.to) - Date.parse(asked.from)) / (Date.parse(asked.to) - Date.parse(asked.from));
      say(
        `${saved.file}: up to ${saved.to}, ${Math.floor(100 * share)} % of the time, ${Math.round((Date.now() - startedMs) / 1000)} s`,
      );
    }
    const answer = await issueSeries(api, session, packages, say);
    await writeWhole(join(folder, MANIFEST), answer.bytes);
    await rm(join(folder, PROGRESS), { force: true });
    const { totals } = JSON.parse(answer.text) as { readonly totals: Readonly<Record<string, unknown>> };
    const { packages: count, events, denied } = totals;
    const figures = `${String(count)} packages, ${String(events)} events, ${String(denied)} denied`;
    say(visible(`${join(folder, MANIFEST)}: series ${String(answer.headers['x-series-id'])}, ${figures}`));
    say(`verify it: countersign verify ${folder} --key KEY.pem`);
  } finally {
    api.close();
  }
}

/**
 * The saved part of the request. Its end is that of this run: a range that was not over when an earlier run began ended then.
 * @returns `endBefore`: the end of that run, if it is another one
 * @throws CommandFailed 64 where the folder holds a whole series, another range, or one that ends later
 */
async function progressOf(
  folder: string,
  { from, to, agentIds, frameworks }: SeriesRequest,
): Promise<Progress & { readonly endBefore: string | null }> {
  if ((await stat(join(folder, MANIFEST)).catch(() => null)) !== null)
    throw new CommandFailed(EXIT.usage, `${folder} holds a series: name another folder with --out`);
  const text = await readFile(join(folder, PROGRESS), 'utf8').catch(() => null);
  const request = { from, to, agentIds, frameworks };
  if (text === null) return { request, packages: [], endBefore: null };
  const { request: before, packages } = JSON.parse(text) as Progress;
  const same = (one: Progress['request']): string => JSON.stringify([one.from, one.agentIds, one.frameworks]);
  if (same(before) !== same(request) || before.to > to)
    throw new CommandFailed(
      EXIT.usage,
      `${folder} holds a part of another series, ${before.from} to ${before.to}: name another folder with --out`,
    );
  return { request, packages, endBefore: before.to === to ? null : before.to };
}

/** Issues the next package and streams it into its file. */
async function savePackage(
  api: Api,
  { folder, eventsPerPackage, say }: SeriesRequest,
  range: Progress['request'],
  session: Session,
  number: number,
): Promise<SavedPackage> {
  const { from, to, agentIds, frameworks } = range;
  const body = { agentIds, format: 'json', frameworks, from, to, fit: eventsPerPackage };
  const response = await sendAgain(async () => {
    const opened = await api.open('POST', '/v1/events/export-signed', session, body);
    const refusal = opened.statusCode === 200 ? null : (await bytesOf(opened)).toString('utf8');
    return { opened, refusal, status: opened.statusCode ?? 0, retryAfter: opened.headers['retry-after'] ?? null };
  }, say).catch(() => {
    throw new CommandFailed(EXIT.wrong, `no answer from ${api.baseUrl}: ${repeatFrom(from)}`);
  });
  if (response.refusal !== null) throw refused('the export', response, response.refusal, from);
  const { headers } = response.opened;
  const reportId = headers['x-report-id'];
  const end = headers['x-range-to'];
  if (typeof reportId !== 'string' || typeof end !== 'string')
    throw new CommandFailed(EXIT.wrong, `${api.baseUrl} does not issue series: it runs an older release`);
  // The id becomes the name of a file.
  if (!UUID.test(reportId) || !INSTANT.test(end) || end <= from)
    throw new CommandFailed(
      EXIT.wrong,
      `${api.baseUrl} answers with a report id or an end that is none: nothing was saved`,
    );
  const file = `${String(number).padStart(4, '0')}-${reportId}.json`;
  const part = join(folder, `${file}.part`);
  try {
    await pipeline(response.opened, createWriteStream(part, { mode: 0o600 }));
    await rename(part, join(folder, file));
  } catch {
    await rm(part, { force: true }).catch(() => undefined);
    throw new CommandFailed(EXIT.wrong, `the export broke off: ${repeatFrom(from)}`);
  }
  return { reportId, file, from, to: end };
}

/** Joins the packages. */
async function issueSeries(
  api: Api,
  session: Session,
  packages: readonly SavedPackage[],
  say: SeriesRequest['say'],
): Promise<Answer> {
  const reportIds = packages.map(({ reportId }) => reportId);
  const from = packages.at(-1)!.to;
  const sent = await sendAgain(async () => {
    const answer = await api.send('POST', '/v1/report-series', session, { reportIds });
    return { answer, status: answer.status, retryAfter: answer.headers['retry-after'] ?? null };
  }, say).catch(() => {
    throw new CommandFailed(EXIT.wrong, `no answer from ${api.baseUrl}: ${repeatFrom(from)}`);
  });
  if (sent.status !== 200) throw refused('the series', sent, sent.answer.text, from);
  return sent.answer;
}

function refused(what: string, sent: Sent, text: string, from: string): CommandFailed {
  const advice = isBusy(sent) ? `: ${repeatFrom(from)}` : '';
  return new CommandFailed(
    EXIT.wrong,
    `${what} was refused: ${sent.status} ${visible(text.slice(0, SHOWN_OF_A_REFUSAL))}${advice}`,
  );
}

function repeatFrom(from: string): string {
  return `repeat the command: it continues from ${from}`;
}

/** Openings and names are confidential: the file is the user's alone. It is there whole, or not at all. */
async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(part, 0o600);
  await rename(part, file);
}
