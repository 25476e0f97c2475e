import type { Intent } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { isAtDestination } from '../call/amounts.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { tokensOf } from '../verdict/policy-verdict.ts'

/** The tokens of an intent, and those of the pools that its calls trade in or deposit into. */
export function tokensToPrice({ intent, callBounds }: NamedAndCalled): readonly Address[] {
  return [...tokensOf(intent), ...tokensInCalls(callBounds)]
}

/** Listed tokens of the positions that are taken from: one whose pool is beyond its range pays, and names, one of the two alone. */
export function tokensGivenUp({ inspected }: Pick<Simulation, 'inspected'>, chain: Chain): readonly Address[] {
  const lessened = inspected.positions.filter(({ liquidityBefore, liquidityAfter }) => liquidityAfter < liquidityBefore)
  const tokens = new Set(lessened.flatMap(({ pool }) => [pool.token0.toLowerCase(), pool.token1.toLowerCase()]))
  return chain.tokens.map(({ address }) => address).filter((address) => tokens.has(address.toLowerCase()))
}

/** Those that the calldata trades, deposits or orders, whatever the intent says of them. */
function tokensInCalls(calls: readonly CallBounds[]): readonly Address[] {
  return calls.flatMap(({ trades, deposits, orders }) => {
    const traded = [...trades, ...orders].flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    const deposited = deposits.flatMap(({ pool }) => (pool === null ? [] : [pool.token0, pool.token1]))
    return [...traded, ...deposited].filter((token) => !isAtDestination(token)).map((token) => getAddress(token))
  })
}

/** The ERC-20 tokens an intent names, each once. */
export function declaredTokens(intent: Intent): readonly Address[] {
  return tokensOnce(tokensOf(intent))
}

/** Those, and what its calldata trades or deposits: a simulation without logs sees no others. */
export function measuredTokens({ intent, callBounds }: NamedAndCalled): readonly Address[] {
  return tokensOnce([...tokensOf(intent), ...tokensInCalls(callBounds)])
}

function tokensOnce(tokens: readonly Address[]): readonly Address[] {
  const named = tokens.filter((token) => token !== zeroAddress)
  return [...new Map(named.map((token) => [token.toLowerCase(), token])).values()]
}

type NamedAndCalled = { readonly intent: Intent; readonly callBounds: readonly CallBounds[] }
