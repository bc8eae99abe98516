import { readFile } from 'node:fs/promises';
import { ChainRejected, ChainUnavailable, isBase58Of } from '@countersign/chain';
import {
  checkPdfPages,
  checkSample,
  drawSample,
  JsonRefused,
  parseJsonStrict,
  readSample,
  readSampledPackage,
  VERIFICATION_LIMITS,
  verifyPackage,
  type Sample,
  type SampleBlock,
  type SampledPackage,
  type SampleRequest,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { readPackage } from '../verify-file/read-package.js';
import { readKeys } from '../verify-file/verify-file.js';
import { askChain, type ChainFinding } from './ask-chain.js';

/** Input of a sample; nothing else is read or trusted. */
export interface TakeSample {
  readonly file: string;
  /** PEM files, or PEM text. */
  readonly keys: readonly string[];
  readonly request: SampleRequest;
  readonly rpcUrls: readonly string[];
  /** Anchoring authorities (base58). */
  readonly authorities: readonly string[];
  /** The report's transaction, for a package that was issued before it was final. */
  readonly reportTx: string | null;
  /** A given block, used instead of asking a node. */
  readonly block: SampleBlock | null;
  /** File with a sample to be checked. `request` is that of the sample then. */
  readonly check: string | null;
  readonly waitMs: number;
}

export interface SampleReport {
  readonly exitCode: number;
  /** `null`: none was drawn, or the given one is not the sample of the package. */
  readonly sample: Sample | null;
  /** One sentence each. */
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  /** The most important problem first. */
  readonly problems: readonly string[];
}

const { sha256 } = nodeCrypto;

/**
 * Draws the sample of a package, or checks a given one.
 * @throws CommandFailed 64 if a file cannot be read, or the input is incomplete
 */
export async function takeSample(given: TakeSample): Promise<SampleReport> {
  checkGiven(given);
  const keys = await readKeys(given.keys);
  const handed = given.check === null ? null : await sampleIn(given.check);
  const parsed = await readPackage(given.file);
  if (typeof parsed === 'string') return wrong([parsed]);
  const verified = verifyPackage(parsed.value, { crypto: nodeCrypto, keys, chain: null });
  if (!verified.ok) return wrong(verified.problems.map(({ code, path, message }) => `${path}: ${message} [${code}]`));
  const pages =
    parsed.pdf === null
      ? null
      : checkPdfPages(parsed.pdf.bytes, parsed.pdf.signature, parsed.value, { crypto: nodeCrypto, keys });
  if (pages !== null && pages.problems.length > 0)
    return wrong(pages.problems.map(({ code, message }) => `${message} [${code}]`));
  const reading = readSampledPackage(parsed.value, sha256);
  if (!reading.ok) return wrong([reading.problem]);
  if (typeof handed === 'string') return wrong([handed]);
  const pkg = reading.value;
  const issuer = keys === null ? ['who issued the package: give the key that you trust with --key'] : [];
  const notChecked = [...issuer, ...(pages?.notChecked ?? [])];
  const checked = ['the package holds: its hashes, proofs and figures fit each other', ...(pages?.checked ?? [])];
  const problems = handed === null ? [] : checkSample(handed, pkg, sha256);
  if (problems.length > 0) return wrong(problems.map(({ code, message }) => `${message} [${code}]`));
  const request = handed?.request ?? given.request;
  const txSignature = pkg.anchor?.txSignature ?? handed?.anchor.txSignature ?? given.reportTx;
  if (txSignature === null)
    throw new CommandFailed(
      EXIT.usage,
      'the package was issued before its transaction was final: name that with --report-tx (GET /v1/reports shows it)',
    );
  if (given.rpcUrls.length === 0) return offline(given, pkg, request, txSignature, handed, { checked, notChecked });
  const finding = await askedChain(given, pkg, request, txSignature);
  const report = online(given, pkg, request, handed, finding, { checked, notChecked });
  const unread = pages !== null && pages.verdict !== 'issued';
  return unread && report.exitCode === EXIT.holds ? { ...report, exitCode: EXIT.unchecked } : report;
}

interface Findings {
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
}

const BLOCK_UNASKED =
  'the block: that it is the chain’s, and the first that the rule allows, is for a node to say (--rpc)';

function offline(
  { block }: TakeSample,
  pkg: SampledPackage,
  request: SampleRequest,
  txSignature: string,
  handed: Sample | null,
  { checked, notChecked }: Findings,
): SampleReport {
  const anchor = { network: pkg.anchor?.network ?? 'unknown', txSignature, slot: null };
  return {
    exitCode: EXIT.unchecked,
    sample: handed ?? drawSample(pkg, request, anchor, block!, sha256),
    checked: [...checked, 'the events follow from the package and the block'],
    notChecked: [...notChecked, BLOCK_UNASKED],
    problems: [],
  };
}

function online(
  { authorities, check, keys }: TakeSample,
  pkg: SampledPackage,
  request: SampleRequest,
  handed: Sample | null,
  finding: ChainFinding,
  { checked, notChecked }: Findings,
): SampleReport {
  switch (finding.kind) {
    case 'wrong':
      return wrong([finding.problem]);
    case 'not-yet': {
      const { fromSlot, newestSlot } = finding;
      const problem = `the block is not there yet: it is the first from slot ${fromSlot} on, and the newest final slot is ${newestSlot}`;
      // A sample that names a block that cannot exist yet was made up.
      if (handed !== null) return wrong([problem]);
      return { exitCode: EXIT.unchecked, sample: null, checked, notChecked: [...notChecked, problem], problems: [] };
    }
    case 'found': {
      const { anchor, block, signers } = finding;
      if (authorities.length > 0 && !signers.some((signer) => authorities.includes(signer)))
        return wrong(["no authority that you named has signed the report's transaction"]);
      const differs = handed === null ? null : blockDifference(handed, anchor.slot!, block);
      if (differs !== null) return wrong([differs]);
      const unknownSender = authorities.length === 0;
      // Without a checked signature or sender the package may name a transaction, and thereby a block, that its author
      // preferred: anyone can send the memo of a content again.
      const unbound = unknownSender && (pkg.anchor === null || keys.length === 0);
      return {
        exitCode: unbound ? EXIT.unchecked : EXIT.holds,
        sample: handed ?? drawSample(pkg, request, anchor, block, sha256),
        checked: [
          ...checked,
          `slot ${block.slot} has the first block that the rule allows on ${anchor.network}`,
          check === null ? 'the events follow from the package and the block' : 'the events are those that are drawn',
        ],
        notChecked: [
          ...notChecked,
          ...(unknownSender ? ["who sent the report's transaction: name the authority with --authority"] : []),
          ...(anchor.network === 'solana:localnet'
            ? ['chance: who runs a network of their own (solana:localnet) can foresee its blocks']
            : []),
        ],
        problems: [],
      };
    }
  }
}

function blockDifference(handed: Sample, anchorSlot: number, block: SampleBlock): string | null {
  const { slot, blockhash, blockTime } = handed.block;
  if (handed.anchor.slot !== null && handed.anchor.slot !== anchorSlot)
    return `the report's transaction lies in slot ${anchorSlot}, not ${handed.anchor.slot} [sample-anchor-differs]`;
  if (slot !== block.slot) return `the block of the rule lies in slot ${block.slot}, not ${slot}`;
  if (blockhash !== block.blockhash) return `the block of slot ${slot} has another hash`;
  return blockTime === null || blockTime === block.blockTime ? null : `the block of slot ${slot} has another time`;
}

/** @throws CommandFailed 2 if the nodes cannot answer */
async function askedChain(
  { rpcUrls, waitMs }: TakeSample,
  pkg: SampledPackage,
  request: SampleRequest,
  txSignature: string,
): Promise<ChainFinding> {
  try {
    return await askChain(rpcUrls, pkg, request, txSignature, waitMs);
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof ChainRejected)
      throw new CommandFailed(EXIT.unchecked, `the nodes cannot say: ${error.message}`);
    throw error;
  }
}

function wrong(problems: readonly string[]): SampleReport {
  return { exitCode: EXIT.wrong, sample: null, checked: [], notChecked: [], problems };
}

function checkGiven({ rpcUrls, authorities, reportTx, block, check }: TakeSample): void {
  const refuse = (message: string): never => {
    throw new CommandFailed(EXIT.usage, message);
  };
  for (const url of rpcUrls) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      refuse(`--rpc must be an http:// or https:// address: ${url}`);
  }
  for (const address of authorities)
    if (!isBase58Of(address, 32)) refuse(`--authority must be a Solana address, not ${address}`);
  if (reportTx !== null && !isBase58Of(reportTx, 64)) refuse('--report-tx must be the signature of a transaction');
  if (block !== null && !isBase58Of(block.blockhash, 32)) refuse('--block-hash must be the hash of a block in base58');
  if (block !== null && (rpcUrls.length > 0 || check !== null))
    refuse('--slot and --block-hash replace a node: leave out --rpc and --check');
  if (block === null && rpcUrls.length === 0 && check === null)
    refuse('name a Solana RPC with --rpc, or the block with --slot and --block-hash, or a sample with --check');
}

/** Reads the sample of a file; returns the problem as text. */
async function sampleIn(file: string): Promise<Sample | string> {
  const bytes = await readFile(file).catch(() => {
    throw new CommandFailed(EXIT.usage, `cannot read the sample ${file}`);
  });
  try {
    const reading = readSample(parseJsonStrict(bytes, VERIFICATION_LIMITS));
    return reading.ok ? reading.value : `The file is not a sample: ${reading.problem}.`;
  } catch (error) {
    if (error instanceof JsonRefused) return `The file is not the JSON of a sample: ${error.message}.`;
    throw error;
  }
}
