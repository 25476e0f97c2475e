import type { PublicClient } from 'viem'
import type { Chain } from './chain.ts'

export type OpenChain = { readonly chain: ChainFacts; readonly client: PublicClient; readonly rpcUrl: string }

/** What of a chain's row a wallet needs. */
export type ChainFacts = Pick<
  Chain,
  | 'id'
  | 'name'
  | 'testnet'
  | 'nativeCurrency'
  | 'publicRpcUrls'
  | 'explorerUrl'
  | 'confirmations'
  | 'blockTimeSeconds'
  | 'logRangeBlocks'
  | 'ordinaryTipGwei'
  | 'faucet'
  | 'sponsored'
  | 'local'
  | 'maxGasFeeGwei'
>
