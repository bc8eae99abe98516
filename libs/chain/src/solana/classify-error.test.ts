import { ChainRejected, ChainUnavailable } from '../errors.js';
import { classifyError, HttpFailure, saysAlreadyProcessed } from './classify-error.js';
import { networkOf } from './networks.js';

const rpcError = (code: number, message: string) => Object.assign(new Error(message), { code });
const sendError = (transactionMessage: string, logs: string[] = []) =>
  Object.assign(new Error(`Simulation failed. \nMessage: ${transactionMessage}.`), { transactionMessage, logs });

describe('classifyError', () => {
  it.each([
    [new HttpFailure(429, null), 'rate-limited'],
    [new HttpFailure(502, null), 'node-unhealthy'],
    [rpcError(-32005, 'Node is behind by 3 slots'), 'node-unhealthy'],
    [rpcError(-32016, 'Minimum context slot has not been reached'), 'node-unhealthy'],
    [rpcError(-32603, 'Internal error'), 'node-unhealthy'],
    [rpcError(429, 'slow down'), 'rate-limited'],
    [sendError('Node is unhealthy'), 'node-unhealthy'],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), 'timeout'],
    [Object.assign(new Error('x'), { name: 'StructError' }), 'node-unhealthy'],
    [new SyntaxError('Unexpected token <'), 'node-unhealthy'],
    [new TypeError('fetch failed'), 'network'],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'network'],
    ['a text', 'network'],
    [undefined, 'network'],
  ])('%p is retried at another node: %s', (error, reason) => {
    expect(classifyError(error)).toMatchObject({ name: 'ChainUnavailable', reason, cause: error });
  });

  it.each([
    [sendError('Transaction simulation failed: Blockhash not found'), 'blockhash-not-found'],
    [sendError('Transaction simulation failed: Insufficient funds for fee'), 'insufficient-funds'],
    [sendError('Transaction signature verification failure'), 'signature-failure'],
    [sendError('Transaction simulation failed: Error processing Instruction 0: x', ['log']), 'transaction-failed'],
    [rpcError(-32602, 'failed to deserialize transaction'), 'invalid-transaction'],
    [rpcError(-32602, 'Invalid param: WrongSize'), 'rpc-error'],
    [rpcError(-32011, 'Transaction history is not available from this node'), 'history-not-available'],
    [new HttpFailure(413, null), 'invalid-transaction'],
  ])('%p is a refusal: %s', (error, code) => {
    expect(classifyError(error)).toMatchObject({ name: 'ChainRejected', code, cause: error });
  });

  it('keeps logs, and errors that are already classified', () => {
    const sorted = classifyError(sendError('Transaction simulation failed: x', ['Program log: y']));
    expect(sorted).toMatchObject({ logs: ['Program log: y'] });
    for (const known of [sorted, new ChainUnavailable('timeout', 't'), new ChainRejected('rpc-error', 'r')]) {
      expect(classifyError(known)).toBe(known);
    }
  });

  it('recognizes a duplicate', () => {
    expect(saysAlreadyProcessed(sendError('This transaction has already been processed'))).toBe(true);
    expect(saysAlreadyProcessed(sendError('Blockhash not found'))).toBe(false);
    expect(saysAlreadyProcessed(null)).toBe(false);
  });
});

describe('networkOf', () => {
  it('knows the public networks by genesis hash, and no other', () => {
    expect(networkOf('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d')).toBe('solana:mainnet-beta');
    expect(networkOf('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')).toBe('solana:devnet');
    expect(networkOf('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY')).toBe('solana:testnet');
    expect(networkOf('toString')).toBe('solana:localnet');
  });
});
