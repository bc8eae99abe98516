import { readTraceparent } from '@countersign/contracts';

/** The parts of a request's head that the gateway reads. A header that was sent twice has more than one value. */
export interface CheckHeaders {
  /** `null`: none, another scheme, or sent twice. */
  readonly apiKey: string | null;
  /** `null`: it is JSON in UTF-8 without an encoding, or is not specified. */
  readonly mediaProblem: string | null;
  /** As sent; `null`: none; the empty string: sent twice. */
  readonly idempotencyKey: string | null;
  /** Bytes as announced, or -1. */
  readonly contentLength: number;
  readonly host: boolean;
  /** As sent; `null`: none; the empty string: sent twice. */
  readonly principal: string | null;
  readonly session: string | null;
  /** As sent, the last of several; `null`: none. */
  readonly approvalId: string | null;
  /** As sent; `null`: none; the empty string: sent twice. */
  readonly subjectToken: string | null;
  /** It carries a signature (RFC 9421). */
  readonly isSigned: boolean;
  /** W3C `traceparent`; `null`: none, or one that is not to be used. That of a tool call in the body replaces it. */
  trace: string | null;
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const JSON_UTF8 = /^application\/json[\t ]*(;[\t ]*charset="?utf-?8"?[\t ]*)?$/i;
const ENCODED = 'send the body without Content-Encoding';
const NOT_JSON = 'send the body as application/json in UTF-8';

/**
 * One pass over the raw headers: faster than the object that Node builds of them, and nothing is merged. Judges
 * credentials as `readApiKeyHeaders` of http-edge does.
 */
export function readCheckHeaders(raw: readonly string[]): CheckHeaders {
  let serviceKey: string | null = null;
  let serviceKeys = 0;
  let authorization: string | null = null;
  let authorizations = 0;
  let idempotencyKey: string | null = null;
  let mediaProblem: string | null = null;
  let contentLength = -1;
  let host = false;
  let principal: string | null = null;
  let session: string | null = null;
  let trace: string | null = null;
  let approvalId: string | null = null;
  let subjectToken: string | null = null;
  let isSigned = false;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    // The length distinguishes most names without lower-casing them.
    switch (name.length) {
      case 4:
        if (is(name, 'host')) host = true;
        break;
      case 9:
        if (is(name, 'signature')) isSigned = true;
        break;
      case 11:
        if (is(name, 'traceparent')) trace = trace === null ? raw[i + 1]! : '';
        break;
      case 12:
        if (is(name, 'content-type') && !isJson(raw[i + 1]!)) mediaProblem ??= NOT_JSON;
        break;
      case 13:
        if (is(name, 'x-service-key')) {
          serviceKey = raw[i + 1]!;
          serviceKeys += 1;
        } else if (is(name, 'authorization')) {
          authorization = raw[i + 1]!;
          authorizations += 1;
        } else if (is(name, 'x-approval-id')) approvalId = raw[i + 1]!;
        break;
      case 14:
        if (is(name, 'content-length')) contentLength = Number(raw[i + 1]!);
        break;
      case 15:
        if (is(name, 'idempotency-key')) idempotencyKey = idempotencyKey === null ? raw[i + 1]! : '';
        else if (is(name, 'signature-input')) isSigned = true;
        else if (is(name, 'x-subject-token')) subjectToken = subjectToken === null ? raw[i + 1]! : '';
        break;
      case 16:
        if (is(name, 'content-encoding')) mediaProblem = ENCODED;
        break;
      case 21:
        if (is(name, 'x-countersign-session')) session = session === null ? raw[i + 1]! : '';
        break;
      case 23:
        if (is(name, 'x-countersign-principal')) principal = principal === null ? raw[i + 1]! : '';
        break;
      default:
    }
  }
  return {
    apiKey: serviceKeys > 0 ? (serviceKeys === 1 ? serviceKey : null) : bearer(authorization, authorizations),
    mediaProblem,
    idempotencyKey,
    contentLength,
    host,
    principal,
    session,
    approvalId,
    subjectToken,
    isSigned,
    trace: readTraceparent(trace),
  };
}

function is(name: string, wanted: string): boolean {
  return name === wanted || name.toLowerCase() === wanted;
}

function isJson(type: string): boolean {
  return type === 'application/json' || JSON_UTF8.test(type);
}

function bearer(authorization: string | null, count: number): string | null {
  if (authorization === null || count !== 1) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}
