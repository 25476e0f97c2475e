import type { RpcPool, TokenDirectory } from '../ports.ts'

/** What the reading half of liquidity reads the world through. */
export type ReadPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  readonly tokens: Pick<TokenDirectory, 'byAddress' | 'wrapped'>
}
