import { createTradingClient, type TradingClientOptions, type TradingRoutePorts } from '@svc/amm/upstream'
import { knownContracts } from '../calldata/known-contracts.ts'
import type { Policy } from '../policy/policy.ts'
import { guardUpstream } from './guard-upstream.ts'

/**
 * The trading API and the guard that each of its transactions passes, with the contracts that chain and policy name at that moment.
 * All that ask with one key share it, for the key is what is limited. `null` without a key: nobody is asked then.
 */
export function openTrading({ tradingApi, policy }: TradingOptions): TradingRoutePorts | null {
  if (tradingApi === null) return null
  return {
    client: createTradingClient(tradingApi),
    guard: (transaction, asked) =>
      guardUpstream(transaction, { ...asked, known: knownContracts(asked.chain, policy()) }),
  }
}

export type TradingOptions = {
  /** `null` where there is no key. */
  readonly tradingApi: TradingClientOptions | null
  /** As it holds now. */
  readonly policy: () => Policy
}
