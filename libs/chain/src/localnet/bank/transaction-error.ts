import type { TransactionFailure } from '../../port.js';

/** Names in the order of the engine's numbers. */
const TRANSACTION_ERRORS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
];

const INSTRUCTION_ERRORS = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
];

/** The engine's error: a number for an error without fields, else an object of one of its classes. */
export type EngineError =
  number | { readonly index: number; err?(): EngineInstructionError } | { accountIndex: number };
export type EngineInstructionError = number | { readonly code: number } | { readonly msg: string };

/** The engine's error in the network's JSON. `kind` is the class name of an error with fields. */
export function transactionFailure(error: EngineError, kind: string): TransactionFailure {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `Unknown${error}`;
  if ('accountIndex' in error) {
    const name = kind.replace(/^TransactionError/, '');
    return { [name]: { account_index: error.accountIndex } };
  }
  if (error.err === undefined) return { DuplicateInstruction: error.index };
  return { InstructionError: [error.index, instructionFailure(error.err())] };
}

function instructionFailure(error: EngineInstructionError): TransactionFailure {
  if (typeof error === 'number') return INSTRUCTION_ERRORS[error] ?? `Unknown${error}`;
  return 'code' in error ? { Custom: error.code } : { BorshIoError: error.msg };
}

/** The network's own sentence for the common errors, for messages of the RPC. */
export function failureSentence(failure: TransactionFailure): string {
  if (typeof failure !== 'string') {
    const found = failure['InstructionError'];
    if (Array.isArray(found)) return `Error processing Instruction ${found[0]}: ${instructionSentence(found[1])}`;
    return `Transaction failed: ${JSON.stringify(failure)}`;
  }
  return SENTENCES[failure] ?? `Transaction failed: ${failure}`;
}

function instructionSentence(failure: unknown): string {
  if (typeof failure === 'object' && failure !== null && 'Custom' in failure) {
    return `custom program error: 0x${Number(failure.Custom).toString(16)}`;
  }
  return typeof failure === 'string' ? failure : JSON.stringify(failure);
}

const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  SignatureFailure: 'Transaction did not pass signature verification',
};
