import type { Liquidity, RpcPool, TokenDirectory } from '../ports.ts'

/** What the reading half of liquidity reads the world through. */
export type ReadPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'seenHead' | 'nameOfView' | 'nextEndpoint'>
  readonly tokens: Pick<TokenDirectory, 'byAddress' | 'wrapped'>
}

/** What planning reads the world through: the read side of liquidity, the wrapped native token, a client. */
export type PlanPorts = {
  readonly rpc: Pick<RpcPool, 'client'>
  readonly tokens: Pick<TokenDirectory, 'wrapped'>
  readonly liquidity: Pick<Liquidity, 'findPools'>
}
