import { failureSentence, transactionFailure } from './transaction-error.js';

describe('transactionFailure', () => {
  it('words errors as the network does', () => {
    expect(transactionFailure(7, 'Number')).toBe('BlockhashNotFound');
    expect(transactionFailure(34, 'Number')).toBe('CommitCancelled');
    expect(transactionFailure(999, 'Number')).toBe('Unknown999');
    expect(transactionFailure({ index: 2, err: () => ({ code: 1 }) }, 'x')).toEqual({
      InstructionError: [2, { Custom: 1 }],
    });
    expect(transactionFailure({ index: 0, err: () => 39 }, 'x')).toEqual({
      InstructionError: [0, 'ProgramFailedToComplete'],
    });
    expect(transactionFailure({ index: 0, err: () => ({ msg: 'm' }) }, 'x')).toEqual({
      InstructionError: [0, { BorshIoError: 'm' }],
    });
    expect(transactionFailure({ index: 3 }, 'TransactionErrorDuplicateInstruction')).toEqual({
      DuplicateInstruction: 3,
    });
    expect(transactionFailure({ accountIndex: 4 }, 'TransactionErrorInsufficientFundsForRent')).toEqual({
      InsufficientFundsForRent: { account_index: 4 },
    });
  });

  it('has a sentence for each', () => {
    expect(failureSentence('BlockhashNotFound')).toBe('Blockhash not found');
    expect(failureSentence('AccountInUse')).toBe('Transaction failed: AccountInUse');
    expect(failureSentence({ InstructionError: [0, { Custom: 17 }] })).toBe(
      'Error processing Instruction 0: custom program error: 0x11',
    );
    expect(failureSentence({ InstructionError: [1, 'InvalidArgument'] })).toBe(
      'Error processing Instruction 1: InvalidArgument',
    );
    expect(failureSentence({ DuplicateInstruction: 1 })).toBe('Transaction failed: {"DuplicateInstruction":1}');
  });
});
