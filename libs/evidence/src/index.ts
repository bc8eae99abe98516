export type { Ed25519Verify, EvidenceCrypto, Sha256 } from './crypto.js';
export type { Reading } from './reading.js';

export { fromHex, isHash, sameBytes, toHex } from './encoding/hex.js';
export { fromBase64, fromBase64Url, isCanonicalBase64, isSalt, toBase64, toBase64Url } from './encoding/base64.js';
export { isWellFormed, utf8, utf8Length } from './encoding/text.js';
export { isInstant, isoDuration, parseIsoDuration, parseTime } from './encoding/time.js';
export { isUuid, isUuidV7, uuidV7 } from './encoding/uuid.js';

export {
  canonicalBytes,
  canonicalize,
  joinMembers,
  type MemberText,
  memberTexts,
  quote,
  NotCanonical,
} from './json/canonicalize.js';
export {
  BODY_LIMITS,
  type JsonLimits,
  type JsonRefusal,
  JsonRefused,
  parseJsonStrict,
  VERIFICATION_LIMITS,
} from './json/parse-strict.js';

export { leafHash, nodeHash } from './merkle/hash.js';
export { CompactRange, merkleRoot } from './merkle/compact-range.js';
export { inclusionPath, MerkleTree } from './merkle/tree.js';
export { rootFromPath, verifyInclusion } from './merkle/verify-inclusion.js';
export { type ConsistencyClaim, verifyConsistency } from './merkle/consistency.js';

export { readLeaf } from './leaf/read-leaf.js';
export { readEnvelope } from './leaf/read-envelope.js';
export { readMessage } from './leaf/read-message.js';
export { accountEvent, type AccountEventFacts } from './leaf/account-event.js';
export { plainEnvelope, plainLeaf, type LeafHead } from './leaf/plain-leaf.js';
export { canonicalLeaf, leafBytes, leafHashOf } from './leaf/canonical-leaf.js';
export {
  commit,
  commitCanonical,
  COMMITMENT_KINDS,
  type CommitmentKind,
  commitmentText,
  commitMembers,
  hasMembers,
  commitV2,
  MOST_MEMBERS,
  type TextHash,
} from './leaf/commitment.js';
export {
  discloseMembers,
  isMembersOpening,
  opens,
  opensAnything,
  type OpeningVerdict,
  shownValue,
  type ShownValue,
} from './leaf/opening.js';

export {
  agentKey,
  type AgentEvents,
  type WindowAgent,
  windowLeafBytes,
  windowLeafHash,
  type WindowTree,
  windowTree,
} from './window/window-tree.js';
export { type AnchoredLeaf, proofFor, unanchored } from './window/proof.js';
export {
  type AdjacentLeaf,
  type AbsenceProof,
  absenceProof,
  type AnchoredRoot,
  positionOfKey,
} from './window/absence.js';

export {
  parseRegistrationMemo,
  parseReportMemo,
  parseWindowMemo,
  registrationMemo,
  reportMemo,
  type WindowMemo,
  windowMemo,
} from './chain/memo.js';

export { type Ed25519Refusal, refuseEd25519, verifyEd25519 } from './signature/ed25519.js';
export { isKeyId, keyId, publicKeyFromPem, publicKeyToPem } from './signature/public-key.js';
export { blockchainSsn, readSsn, type Registration } from './registration/ssn.js';

export {
  canonicalMembers,
  contentHash,
  packageCanonicalBytes,
  packageDigests,
  type PackageDigests,
} from './package/canonical.js';
export { type AttachedPackage, attachedPackage, isPdf } from './package/attached-package.js';
export type { PdfSignature } from './package/pdf-layout.js';
export { type UnsignedPdf, withPdfSignature } from './package/pdf-signature.js';
export { checkPdfPages, type PdfPages } from './verify/pdf-pages.js';
export { lengthOf, type Member, memberOf, piecesOf } from './package/member.js';
export {
  eventStatus,
  isRefusal,
  namesDataScope,
  STATUS_VERDICTS,
  type StatusFacts,
  type StatusVerdict,
} from './package/event-status.js';
export { oversightOf, type OversightEntry } from './package/oversight.js';
export { summarize, type SummaryEntry } from './package/summary.js';
export {
  assemblePackage,
  type PackageParts,
  type PackageSignature,
  packageTimestamp,
  type PackageSigner,
  type ReportAnchor,
  type SignedForm,
  signMembers,
  signMembersAsync,
  signPackage,
} from './package/assemble.js';

export type {
  AgentCompleteness,
  ChainCheck,
  EventResult,
  Problem,
  ProblemCode,
  SequenceRun,
  SignatureResult,
  Unsettled,
  UnsettledCode,
  VerificationResult,
  Vouched,
  WindowCount,
  WindowTime,
} from './verify/result.js';
export { PROBLEM_CODES, UNSETTLED_CODES } from './verify/result.js';
export type {
  AuthorityWalk,
  ChainAnswer,
  ChainFacts,
  ChainTransaction,
  ListedTransaction,
  VerificationKey,
  VerifyOptions,
} from './verify/options.js';
export { transactionsOfWalk, WALK_BOUND, walkBackTo } from './verify/check-walk.js';
export { CLOCK_TOLERANCE_SECONDS, LATE_SECONDS } from './verify/time-bounds.js';
export { readContext } from './verify/read-context.js';
export { type EventProofResult, verifyEventProof } from './verify/event-proof.js';
export { type AbsenceResult, claimsAbsence, verifyAbsence } from './verify/absence.js';
export { openPackage, type OpenedPackage, verifyPackage } from './verify/verify-package.js';
export { type SeriesFacts, byPlace, seriesEntry, seriesFacts } from './series/series-entry.js';
export { assembleSeries, seriesGaps, type SeriesParts } from './series/series-totals.js';
export { claimsSeries, openSeries, type SeriesResult, type SeriesVerification } from './series/verify-series.js';
export { blockTimeText, chainAnswer, type FinalizedTransaction } from './verify/chain-answer.js';
export { type NamedTransaction, transactionsToAsk } from './verify/transactions-to-ask.js';
export { eventAnswer, type InclusionAnswer, packageAnswer } from './verify/inclusion-answer.js';

export {
  blockBound,
  type BlockBound,
  type Sample,
  type SampleAnchor,
  type SampleBlock,
  type SampledEvent,
  SAMPLE_DELAY_SLOTS,
  type SamplePopulation,
  SAMPLE_POPULATIONS,
  type SampleRequest,
  SAMPLE_RULE,
} from './sample/rule.js';
export { type SampledPackage, readSampledPackage } from './sample/population.js';
export { drawSample, sampleSeed } from './sample/draw-sample.js';
export { readSample } from './sample/read-sample.js';
export {
  checkSample,
  SAMPLE_PROBLEM_CODES,
  type SampleProblem,
  type SampleProblemCode,
} from './sample/check-sample.js';
