import { ask } from './ask.js';
import { byId, element, oneLine } from './elements.js';
import { expectedOf, type Expected } from './expected.js';
import type { GivenFile, Question } from './judge.js';
import { showOutcome } from './show-outcome.js';
import type { Task, TaskMessage } from './worker.js';

const form = byId('question', HTMLFormElement);
const input = byId('file', HTMLInputElement);
const drop = byId('drop', HTMLElement);
const chosen = byId('chosen', HTMLElement);
const pem = byId('pem', HTMLTextAreaElement);
const rpc = byId('rpc', HTMLInputElement);
const authority = byId('authority', HTMLInputElement);
const absences = byId('absences', HTMLInputElement);
const status = byId('status', HTMLElement);
const result = byId('result', HTMLElement);
const came = byId('came-for', HTMLElement);

/** Where the service answers: the page lies at `<base>verify`. */
const base = new URL('.', location.href).href.split('#')[0]!;

interface Subject {
  readonly name: string;
  readonly content: Blob;
  /** The files of a series that were given together. */
  readonly together?: readonly GivenFile[];
}
let subject: Subject | null = null;
let expected: Expected = { reportId: null, sha256: null };
let task = 0;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): URL };
}

/** Begun with the page, and kept: once it is there, nothing more is fetched to verify. */
const worker = newWorker();

function newWorker(): Worker {
  const address = new URL('./worker.js', import.meta.url).href;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const url = trustedTypes?.createPolicy('verify', { createScriptURL: (given) => given }).createScriptURL(address);
  return new Worker(url ?? address, { type: 'module' });
}

function question(): Question | string {
  const address = rpc.value.trim();
  const trusted = authority.value.trim();
  if (address !== '' && !/^https?:\/\//i.test(address)) return 'The RPC address must begin with https:// or http://.';
  if (trusted !== '' && address === '') return 'Who anchored is read from the chain: give an RPC address too.';
  if ((absences.files?.length ?? 0) > 0 && address === '')
    return 'The chain vouches for what proofs of absence prove: give an RPC address too.';
  if (trusted !== '' && !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(trusted))
    return 'The authority must be a Solana address.';
  const own = byId('key-own', HTMLInputElement).checked;
  if (own && pem.value.trim() === '') return 'Paste the public key that you trust, or take the published one.';
  return {
    keys: own ? { from: 'pem', text: pem.value } : { from: 'service', base },
    rpc: address === '' ? null : { url: address, authority: trusted === '' ? null : trusted },
  };
}

function say(text: string): void {
  status.textContent = text;
}

function verify(): void {
  result.replaceChildren();
  const asked = question();
  if (subject === null || typeof asked === 'string') {
    say(typeof asked === 'string' ? asked : 'Choose a file first.');
    return;
  }
  task += 1;
  say('Verifying …');
  const proofs = [...(absences.files ?? [])];
  const { content, together } = subject;
  const files = together === undefined ? {} : { together };
  worker.postMessage({ number: task, file: content, ...files, absences: proofs, question: asked } satisfies Task);
}

/** Shows a message of the worker. One about an earlier task is ignored. */
function showMessage({ data }: MessageEvent<TaskMessage>): void {
  if (data.number !== task || subject === null) return;
  if (data.kind === 'progress') say(`${data.text} …`);
  else if (data.kind === 'failed') say(`It could not be verified: ${oneLine(data.text)}`);
  else {
    say('');
    result.replaceChildren(showOutcome(subject.name, data.outcome, expected));
    document.getElementById('verdict')?.focus();
  }
}

function take(next: Subject): void {
  subject = next;
  chosen.textContent = next.name;
  verify();
}

function showExpected(): void {
  expected = expectedOf(location.hash);
  const { reportId, sha256 } = expected;
  came.hidden = reportId === null && sha256 === null;
  if (came.hidden) return;
  const lines: HTMLElement[] = [
    element('h2', {}, 'The report that you came for'),
    element(
      'dl',
      {},
      ...(reportId === null ? [] : [element('dt', {}, 'Report'), element('dd', {}, reportId)]),
      ...(sha256 === null ? [] : [element('dt', {}, 'SHA-256 of the package'), element('dd', {}, sha256)]),
    ),
    element(
      'p',
      {},
      'Choose the file that you were given: the page says whether it is this report, and whether it holds.',
    ),
  ];
  if (reportId !== null) {
    const button = element('button', { type: 'button' }, 'Take the published copy');
    button.addEventListener('click', () => void takePublished(reportId));
    lines.push(button);
  }
  came.replaceChildren(...lines);
}

async function takePublished(reportId: string): Promise<void> {
  say('Fetching the published copy …');
  const answer = await ask(`${base}v1/reports/${reportId}/public`);
  if (answer?.status === 200) {
    take({ name: `published copy of ${reportId}`, content: await answer.blob() });
    return;
  }
  say(
    answer?.status === 404
      ? 'This report was not made public: choose the file that you were given.'
      : 'The service does not answer at the moment: choose the file that you were given.',
  );
}

/** Takes one file, or several as a series with its packages. */
function takeFiles(files: readonly File[]): void {
  const [file] = files;
  if (file === undefined) return;
  if (files.length === 1) take({ name: file.name, content: file });
  else {
    const together = files.map((one) => ({ name: one.name, content: one }));
    take({ name: `${files.length} files: ${files.map(({ name }) => name).join(', ')}`, content: file, together });
  }
}

input.addEventListener('change', () => takeFiles([...(input.files ?? [])]));
for (const kind of ['dragenter', 'dragover'] as const) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) drop.classList.remove('over');
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  takeFiles([...(event.dataTransfer?.files ?? [])]);
});
pem.addEventListener('input', () => (byId('key-own', HTMLInputElement).checked = true));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});
worker.addEventListener('message', showMessage);
worker.addEventListener('error', ({ message }) => say(`The verifier could not be loaded: ${message || 'no answer'}`));
addEventListener('hashchange', showExpected);
byId('key-place', HTMLElement).textContent = `${base}v1/keys`;
showExpected();
