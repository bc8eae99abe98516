import { fromBase64, keyId as keyIdOf, type EvidenceCrypto } from '@countersign/evidence';
import type { Config } from '@countersign/process';
import { readSecret } from './passphrase.js';
import { SignerRefused, SignerUnavailable, type KeyCustody, type Signer } from './signer.js';

/** Timeout for creating a key or reading its public half, ms. */
const ANSWER_WITHIN_MS = 10_000;
/** Timeout for a signature, ms: a message has up to 60 MiB. */
const SIGN_WITHIN_MS = 30_000;
/** An answer is a key or a signature. */
const LONGEST_ANSWER = 16 * 1024;

/** Timeouts of requests to the signer, ms. */
export interface SignerTimeouts {
  readonly answer: number;
  readonly sign: number;
}

/**
 * Keys at an external signer, by HTTP: `POST /keys`, `GET /keys/{keyId}`, `POST /keys/{keyId}/signature`, see
 * README.md. Its token is read from the file for each request, so that it can be changed.
 */
export class HttpSigner implements KeyCustody {
  readonly #config: NonNullable<Config['signer']>;
  readonly #crypto: EvidenceCrypto;
  readonly #timeouts: SignerTimeouts;

  constructor(
    config: NonNullable<Config['signer']>,
    crypto: EvidenceCrypto,
    timeouts: SignerTimeouts = { answer: ANSWER_WITHIN_MS, sign: SIGN_WITHIN_MS },
  ) {
    this.#config = config;
    this.#crypto = crypto;
    this.#timeouts = timeouts;
  }

  /** @throws SignerUnavailable, SignerRefused */
  async create(): Promise<Uint8Array> {
    return this.#publicKey(await this.#ask('POST', '/keys', 201, this.#timeouts.answer));
  }

  async signer(keyId: string): Promise<Signer> {
    const path = `/keys/${keyId}`;
    const publicKey = this.#publicKey(await this.#ask('GET', path, 200, this.#timeouts.answer));
    if (keyIdOf(publicKey, this.#crypto.sha256) !== keyId)
      throw this.#refused(`answered with another key for ${keyId}`);
    return {
      keyId,
      publicKey,
      sign: async (message) => {
        const answer = await this.#ask('POST', `${path}/signature`, 200, this.#timeouts.sign, message);
        return this.#bytes(answer['signature'], 64, 'a signature');
      },
    };
  }

  #publicKey(answer: Readonly<Record<string, unknown>>): Uint8Array {
    return this.#bytes(answer['publicKey'], 32, 'a public key');
  }

  #bytes(value: unknown, length: number, what: string): Uint8Array {
    const bytes = typeof value === 'string' ? fromBase64(value) : null;
    if (bytes?.length !== length) throw this.#refused(`did not answer ${what} of ${length} bytes in base64`);
    return bytes;
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    status: number,
    withinMs: number,
    body?: Uint8Array,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { url } = this.#config;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}${path}`, {
        method,
        headers: { ...(await this.#credential()), 'content-type': 'application/octet-stream' },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
        redirect: 'error',
        signal: AbortSignal.timeout(withinMs),
      });
      text = await readBounded(response);
    } catch (error) {
      throw unavailable(`${url}: ${reasonOf(error)}`);
    }
    // A temporary failure is distinguished from a misconfigured signer.
    if (response.status >= 500 || response.status === 429) throw unavailable(`${url} answered ${response.status}`);
    if (response.status !== status) throw this.#refused(`answered ${method} ${path} with ${response.status}`);
    try {
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      throw this.#refused(`answered ${method} ${path} with something else than JSON`);
    }
  }

  async #credential(): Promise<Readonly<Record<string, string>>> {
    const { tokenFile } = this.#config;
    if (tokenFile === null) return {};
    return { authorization: `Bearer ${(await readSecret('COUNTERSIGN_SIGNER_TOKEN_FILE', tokenFile)).trim()}` };
  }

  #refused(what: string): SignerRefused {
    return new SignerRefused(`the signer at ${this.#config.url} ${what}`);
  }
}

function unavailable(why: string): SignerUnavailable {
  return new SignerUnavailable('the report cannot be signed at the moment: try again', why);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new Error('the answer is longer than any of a signer');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Without the request, which contains the token. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: { readonly message?: string } };
  return cause?.message ?? message ?? String(error);
}
