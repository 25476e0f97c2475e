import type { Liquidity, RpcPool, TokenDirectory } from '../ports.ts'

/** What planning reads the world through: the read side of liquidity, the wrapped native token, a client. */
export type PlanPorts = {
  readonly rpc: Pick<RpcPool, 'client'>
  readonly tokens: Pick<TokenDirectory, 'wrapped'>
  readonly liquidity: Pick<Liquidity, 'findPools'>
}
