import { readFile, stat } from 'node:fs/promises';
import {
  claimsAbsence,
  isPdf,
  JsonRefused,
  keyId,
  parseJsonStrict,
  publicKeyFromPem,
  transactionsToAsk,
  VERIFICATION_LIMITS,
  verifyAbsence,
  verifyPackage,
  type AbsenceResult,
  type ChainFacts,
  type VerificationKey,
  type VerificationResult,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/service-kit';
import { isBase58Of } from '@countersign/chain';
import { CommandFailed, EXIT } from '../commands/exit-codes.js';
import { askNetworks } from './ask-networks.js';
import { describeAbsence, describePackage } from './describe-package.js';
import { keysInSet } from './key-set-file.js';
import { packageInPdf } from './package-in-pdf.js';

/** What the verifier was given; nothing else is trusted. */
export interface VerifyRequest {
  readonly file: string;
  /** PEM text, or files of PEM or of a JWK set. */
  readonly keys: readonly string[];
  readonly rpcUrls: readonly string[];
  /** Anchoring authorities (base58). */
  readonly authorities: readonly string[];
}

export interface VerifyReport {
  readonly exitCode: number;
  /** `null`: the file could not be read as one of the two. */
  readonly result: VerificationResult | AbsenceResult | null;
  /** Facts of the package for the reader, unverified where `result` says so. */
  readonly title: readonly string[];
  readonly notChecked: readonly string[];
  /** One line each, the first thing that is wrong first. */
  readonly problems: readonly string[];
}

const MAX_BYTES = 64 * 1024 * 1024;
/** The pages beside the package: a line for each event. */
const MAX_PDF_BYTES = 256 * 1024 * 1024;
const BARE_KEY =
  'whether the key was revoked: the key alone does not say, its issuer does (GET /v1/keys, or a saved /.well-known/jwks.json as --key)';
const PAGES_NOT_COMPARED =
  'the pages of the PDF: its package was verified, which they were drawn from; the issuer tells the package of a file by its SHA-256';

/**
 * Verifies a package from its file alone, with the keys and the chain that are given.
 * @throws CommandFailed 64 where the file or a key cannot be read, or an address has no form of one
 */
export async function verifyFile(request: VerifyRequest): Promise<VerifyReport> {
  checkAddresses(request);
  const keys = await readKeys(request.keys);
  const parsed = await readPackage(request.file);
  if (typeof parsed === 'string')
    return { exitCode: EXIT.wrong, result: null, title: [], notChecked: [], problems: [parsed] };
  const chain = await chainFacts(parsed.value, request);
  if (claimsAbsence(parsed.value)) return absenceReport(parsed.value, chain);
  const result = verifyPackage(parsed.value, { crypto: nodeCrypto, keys, chain });
  return {
    exitCode: exitCode(result, request),
    result,
    title: describePackage(parsed.value),
    notChecked: [
      ...result.notChecked,
      ...(signerOf(result, keys)?.validFrom === null ? [BARE_KEY] : []),
      ...(parsed.fromPdf ? [PAGES_NOT_COMPARED] : []),
    ],
    problems: problemLines(result.problems, 'package'),
  };
}

async function chainFacts(value: unknown, { rpcUrls, authorities }: VerifyRequest): Promise<ChainFacts | null> {
  return rpcUrls.length === 0 ? null : askNetworks(rpcUrls, transactionsToAsk(value), authorities);
}

/** Nobody signs a proof of absence: the chain and who anchored are all that it stands on. */
function absenceReport(proof: unknown, chain: ChainFacts | null): VerifyReport {
  const result = verifyAbsence(proof, { crypto: nodeCrypto, chain });
  return {
    exitCode: !result.ok ? EXIT.wrong : result.vouched.anchor ? EXIT.holds : EXIT.unchecked,
    result,
    title: result.agentId === null ? [] : describeAbsence(result),
    notChecked: result.notChecked,
    problems: problemLines(result.problems, 'proof'),
  };
}

function problemLines(problems: VerificationResult['problems'], whole: string): readonly string[] {
  return problems.map(({ code, path, message }) => `${path === '' ? whole : path}: ${message} [${code}]`);
}

/** A chain that was not asked for is not missed; one that was must vouch. */
function exitCode({ ok, vouched }: VerificationResult, { rpcUrls }: VerifyRequest): number {
  if (!ok) return EXIT.wrong;
  return vouched.issuer && (rpcUrls.length === 0 || vouched.anchor) ? EXIT.holds : EXIT.unchecked;
}

/** The one of the given keys that the package says it is signed with. */
function signerOf({ signature }: VerificationResult, keys: readonly VerificationKey[] | null): VerificationKey | null {
  return keys?.find(({ publicKey }) => keyId(publicKey, nodeCrypto.sha256) === signature.keyId) ?? null;
}

function checkAddresses({ rpcUrls, authorities }: VerifyRequest): void {
  for (const url of rpcUrls) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new CommandFailed(EXIT.usage, `--rpc must be an http:// or https:// address, not ${url}`);
  }
  for (const address of authorities) {
    if (!isBase58Of(address, 32))
      throw new CommandFailed(EXIT.usage, `--authority must be a Solana address, not ${address}`);
  }
  if (authorities.length > 0 && rpcUrls.length === 0)
    throw new CommandFailed(EXIT.usage, '--authority needs --rpc: who anchored is read from the chain');
}

/** `null` where none is given. @throws CommandFailed 64 for one that cannot be read */
export async function readKeys(given: readonly string[]): Promise<readonly VerificationKey[] | null> {
  if (given.length === 0) return null;
  const read = await Promise.all(
    given.map(async (source) => {
      const text = source.includes('BEGIN PUBLIC KEY') ? source : await readText(source, 'key');
      const publicKey = publicKeyFromPem(text);
      if (publicKey !== null) return [{ publicKey, status: 'active' as const, validFrom: null, validTo: null }];
      const keys = keysInSet(text);
      if (keys === null) {
        throw new CommandFailed(EXIT.usage, `${source} is neither an Ed25519 public key in PEM nor a JWK set with one`);
      }
      return keys;
    }),
  );
  return read.flat();
}

async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new CommandFailed(EXIT.usage, `cannot read the ${what} ${file}`);
  }
}

/**
 * The parsed package of a file, or what is wrong with it.
 * @throws CommandFailed 64 where the file cannot be read
 */
export async function readPackage(
  file: string,
): Promise<{ readonly value: unknown; readonly fromPdf: boolean } | string> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new CommandFailed(EXIT.usage, `cannot read the file ${file}`);
  if (found.size > MAX_PDF_BYTES) return 'The file is larger than 256 MiB: no report is.';
  const bytes = await readFile(file);
  const fromPdf = isPdf(bytes);
  const json = fromPdf ? packageInPdf(bytes) : bytes;
  if (typeof json === 'string') return json;
  if (json.length > MAX_BYTES) return 'The package is larger than 64 MiB: none is.';
  try {
    return { value: parseJsonStrict(json, VERIFICATION_LIMITS), fromPdf };
  } catch (error) {
    if (error instanceof JsonRefused) return `The file is not the JSON of a package: ${error.message}.`;
    throw error;
  }
}
