import type { Network } from '../port.js';

const BY_GENESIS_HASH: ReadonlyMap<string, Network> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'solana:mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'solana:devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'solana:testnet'],
]);

/** The public networks have one genesis hash each; any other is a private network. */
export function networkOf(genesisHash: string): Network {
  return BY_GENESIS_HASH.get(genesisHash) ?? 'solana:localnet';
}
