import { routeLiquidity } from '@svc/amm/liquidity'
import { createTradingClient, createTradingRoute, type TradingClientOptions } from '@svc/amm/upstream'
import type { Liquidity } from '@svc/amm'
import { knownContracts } from '../calldata/known-contracts.ts'
import type { Policy } from '../policy/policy.ts'
import { guardUpstream } from './guard-upstream.ts'

/**
 * Liquidity whose calls the trading API builds where it can; without access to one it is what it was. Each transaction from
 * there passes the guard, with the contracts that chain and policy name at that moment.
 */
export function routeUpstream(own: Liquidity, { tradingApi, policy }: UpstreamOptions): Liquidity {
  if (tradingApi === null) return own
  return routeLiquidity(
    own,
    createTradingRoute({
      client: createTradingClient(tradingApi),
      guard: (transaction, asked) =>
        guardUpstream(transaction, { ...asked, known: knownContracts(asked.chain, policy()) }),
    }),
  )
}

export type UpstreamOptions = {
  /** `null` where there is no key: nothing is asked then. */
  readonly tradingApi: TradingClientOptions | null
  /** As it holds now. */
  readonly policy: () => Policy
}
