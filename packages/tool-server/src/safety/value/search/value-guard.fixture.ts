import { getAddress, zeroAddress } from 'viem'
import type { Policy } from '../../policy.ts'
import type { Simulated } from '../../prepare.ts'
import type { Simulation } from '../../simulation.ts'
import type { PricedToken, PricedTokens } from '../../spend-value.ts'
import { type CallValue, valueOfCall } from '../../weigh-value.ts'
import { dailyValueCaps } from '../value-bounds.ts'
import { type CallFacts, factsOf } from './call-facts.fixture.ts'
import { allow, type Guard, refuse } from './guard.fixture.ts'
import { weth } from './scenario.fixture.ts'
import { keyOf, managers, simChain, tokenOf } from './sim-chain.fixture.ts'
import type { SimPrice, SimPrices } from './sim-prices.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'

/** The server's own rules about value over some prices, with the budgets of one day. */
export function createValueGuard(policy: Policy, prices: SimPrices): Guard {
  const caps = dailyValueCaps(policy)
  const used = { loss: 0n, speculative: 0n, coldStart: 0n }
  return (view, call) => {
    const facts = factsOf(view, call)
    const value = valueOf(policy, facts, pricedOf(facts, prices(view, facts.tokens)))
    const [refusal] = value.refusals
    if (refusal !== undefined) return refuse(refusal.code, refusal.message)
    const asked = { loss: value.lossUsdMicros, speculative: value.speculativeUsdMicros, coldStart: value.coldUsdMicros }
    const exceeded = budgetNames.find((name) => used[name] + asked[name] > caps[name])
    if (exceeded !== undefined) return refuseBudget(exceeded, caps[exceeded] - used[exceeded], asked[exceeded])
    for (const name of budgetNames) used[name] += asked[name]
    return allow(boundUsd(value))
  }
}

const budgetNames = ['loss', 'speculative', 'coldStart'] as const

function refuseBudget(name: string, leftMicros: bigint, askedMicros: bigint) {
  const [left, asked] = [leftMicros, askedMicros].map((micros) => (Number(micros) / 1e6).toFixed(2))
  return refuse('SPENDING_LIMIT_EXCEEDED', `The budget ${name} has ${left} USD left today; the call asks for ${asked} USD.`)
}

/** What the rules let this call lose: its part of what leaves, and all that is speculated with or spent at prices of the moment. */
function boundUsd({ worst, allowedBps, speculativeUsdMicros, coldUsdMicros, isExit }: CallValue): number {
  const allowed = (Number(worst.outUsdMicros) * allowedBps) / 10_000
  return (isExit ? 0 : allowed + Number(speculativeUsdMicros + coldUsdMicros)) / 1e6
}

function valueOf(policy: Policy, facts: CallFacts, priced: PricedTokens): CallValue {
  const { tool, intent, bounds, inspected, deltas } = facts
  const callBounds = { bounds, refusals: [] }
  const pipeline = { engine: { policy }, call: { tool }, chain: simChain, intent, callBounds }
  return valueOfCall(pipeline as unknown as Simulated, { inspected, deltas } as unknown as Simulation, priced)
}

function pricedOf({ pair }: CallFacts, prices: ReadonlyMap<SimToken, SimPrice>): PricedTokens {
  const priced = new Map([...prices].map(([token, price]) => [keyOf(token), pricedToken(token, price)]))
  const native = priced.get(keyOf(weth))
  if (native !== undefined) priced.set(zeroAddress, native)
  if (pair === null) return priced
  const { token0, token1 } = pair
  const { reserve0, reserve1, totalSupply } = pair.pair
  const sides = [
    { token: getAddress(token0.address), reserve: reserve0 },
    { token: getAddress(token1.address), reserve: reserve1 },
  ]
  const standing = { sides, totalSupply, router: managers.v2, wrappedNative: simChain.wrappedNative.address }
  const token = { ...tokenOf(token0), address: getAddress(pair.id), symbol: 'UNI-V2', decimals: 18 }
  return priced.set(pair.id, { token, usd: null, band: null, usdE18: null, doubt: null, pair: standing })
}

function pricedToken(token: SimToken, { band, doubt }: SimPrice): PricedToken {
  const usdE18 = band?.highE18 ?? null
  return { token: tokenOf(token), usd: band === null ? null : Number(band.midE18) / 1e18, band, usdE18, doubt, pair: null }
}
