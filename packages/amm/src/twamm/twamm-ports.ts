import type { Address, Hex } from 'viem'
import type { Liquidity, RpcPool } from '../ports.ts'

/** What orders are read and planned through. */
export type TwammPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  readonly liquidity: Pick<Liquidity, 'pool' | 'swaps'>
  /** Those that the operator names on a chain, and the pools in which orders may be placed. */
  readonly named: (chainId: number) => readonly { readonly hook: Address; readonly pools: readonly Hex[] }[]
}
