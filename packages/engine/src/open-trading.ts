import type { Liquidity } from '@svc/amm'
import type { ReadPorts } from '@svc/amm/liquidity'
import type { TradingClient, TradingClientOptions, TradingRoutePorts } from '@svc/amm/upstream'
import type { Policy } from './policy/policy.ts'

/**
 * The trading API and the guard that each of its transactions passes, with the contracts that chain and policy name at that moment.
 * All that ask with one key share it, for the key is what is limited. `null` without a key: nobody is asked then, and nothing of it is loaded.
 */
export async function openTrading({ tradingApi, policy }: TradingOptions): Promise<Trading | null> {
  if (tradingApi === null) return null
  const [{ createTradingClient, createTradingRoute, routeLiquidity }, { guardUpstream }, { knownContracts }] =
    await Promise.all([
      import('@svc/amm/upstream'),
      import('./upstream/guard-upstream.ts'),
      import('./calldata/known-contracts.ts'),
    ])
  const ports: TradingRoutePorts = {
    client: createTradingClient(tradingApi),
    guard: (transaction, asked) =>
      guardUpstream(transaction, { ...asked, known: knownContracts(asked.chain, policy()) }),
  }
  return { ...ports, routed: (own, reads) => routeLiquidity(own, createTradingRoute(ports, reads)) }
}

export type Trading = TradingRoutePorts & {
  /** The same liquidity, of which the API builds what it can. */
  routed(own: Liquidity, reads: ReadPorts): Liquidity
}

/** Who offers orders: the trading API, over the same client, unless it has another place or key. */
export async function openOrderClient(
  options: TradingClientOptions | 'trading-api' | null,
  trading: TradingRoutePorts | null,
): Promise<TradingClient | null> {
  if (options === 'trading-api') return trading?.client ?? null
  if (options === null) return null
  const { createTradingClient } = await import('@svc/amm/upstream')
  return createTradingClient(options)
}

export type TradingOptions = {
  /** `null` where there is no key. */
  readonly tradingApi: TradingClientOptions | null
  /** As it holds now. */
  readonly policy: () => Policy
}
