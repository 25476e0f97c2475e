import { getAddress, zeroAddress } from 'viem'
import type { PriceBand } from '@svc/amm'
import type { Policy } from '../../../policy/policy.ts'
import { isForAPerson } from '../../../spending/budgets.ts'
import { budgetsOf } from '../../../spending/spend-budgets.ts'
import { type PricedToken, type PricedTokens, valueOfSpend } from '../../spend-value.ts'
import { type CallValue, valueOfCall } from '../../call-value.ts'
import { bandWidthBps, tokensIn } from '../../trusted-value.ts'
import { type CallFacts, factsOf } from './call-facts.fixture.ts'
import { type Guard, refuse, type Verdict } from './guard.fixture.ts'
import { weth } from '../world/scenario.fixture.ts'
import { keyOf, managers, simChain, tokenOf } from './sim-chain.fixture.ts'
import type { SimPrice, SimPrices } from './sim-prices.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'

/** The server's own rules about value over some prices, with their budgets of any 24 hours. */
export function createValueGuard(policy: Policy, prices: SimPrices): Guard {
  const taken: Taken[] = []
  return (view, call) => {
    const facts = factsOf(view, call)
    const priced = pricedOf(facts, prices(view, facts.tokens))
    const value = valueOf(policy, facts, priced)
    const [refusal] = value.refusals
    if (refusal !== undefined) return refuse(refusal.code, refusal.message)
    const spendUsdMicros = valueOfSpend(facts.intent, facts.deltas, priced, value).usdMicros
    const asked = [
      { name: 'spending', usdMicros: spendUsdMicros, capUsdMicros: dailyMicros(policy) },
      ...budgetsOf(value, { policy, chainId: simChain.id, priced, spendUsdMicros }),
    ]
    const since = view.head.timestamp - 86_400
    for (const { name, usdMicros, capUsdMicros } of asked) {
      const used = taken.filter((one) => one.name === name && one.atSeconds > since)
      const usedMicros = used.reduce((sum, one) => sum + one.usdMicros, 0n)
      if (usdMicros > 0n && usedMicros + usdMicros > capUsdMicros)
        return refuseBudget(name, capUsdMicros - usedMicros, usdMicros)
    }
    for (const { name, usdMicros } of asked) taken.push({ name, usdMicros, atSeconds: view.head.timestamp })
    return allowed(value, priced)
  }
}

type Taken = { readonly name: string; readonly usdMicros: bigint; readonly atSeconds: number }

function dailyMicros({ limitsUsd }: Policy): bigint {
  return BigInt(Math.round(Number(limitsUsd.daily) * 1e6))
}

function refuseBudget(name: string, leftMicros: bigint, askedMicros: bigint): Verdict {
  const [left, asked] = [leftMicros, askedMicros].map((micros) => (Number(micros) / 1e6).toFixed(2))
  return refuse(
    isForAPerson(name) ? 'APPROVAL_REQUIRED' : 'SPENDING_LIMIT_EXCEEDED',
    `The budget ${name} has ${left} USD left today; the call asks for ${asked} USD.`,
  )
}

/**
 * What the rules let this call lose, and apart from it all that is speculated with or spent at prices of the moment. They compare both
 * sides at the same edge of all bands: where two tokens are in doubt, the doubt about the second comes on top.
 */
function allowed(value: CallValue, priced: PricedTokens): Verdict {
  const { worst, outUsdMicros, allowedBps, bandBps, speculativeUsdMicros, coldUsdMicros, isExit } = value
  const { leaves, arrives } = value.simulated
  const moved = new Set([...tokensIn(leaves), ...tokensIn(arrives)])
  const widths = [...moved].map((key) => widthBps(priced.get(key)?.band ?? null))
  const otherBps = widths.reduce((sum, width) => sum + width, 0) - bandBps
  // An outcome without a loss has no worst edge.
  const leaving = worst.outUsdMicros > outUsdMicros ? worst.outUsdMicros : outUsdMicros
  const lossBoundUsd = isExit ? 0 : (Number(leaving) * (allowedBps + Math.max(0, otherBps))) / 1e10
  const stakedUsd = isExit ? 0 : Number(speculativeUsdMicros + coldUsdMicros) / 1e6
  return { allowed: true, lossBoundUsd, stakedUsd, code: null, message: null }
}

function widthBps(band: PriceBand | null): number {
  return band === null || band.basis === 'cold' ? 0 : bandWidthBps(band)
}

function valueOf(policy: Policy, facts: CallFacts, priced: PricedTokens): CallValue {
  const { tool, intent, bounds, inspected, deltas } = facts
  const call = { engine: { policy }, call: { tool }, chain: simChain, intent, callBounds: [bounds], steps: [] }
  return valueOfCall(call, { inspected, deltas, paid: new Map() }, priced)
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
  const standing = {
    sides,
    burnSupply: totalSupply,
    router: managers.v2,
    wrappedNative: simChain.wrappedNative.address,
  }
  const token = { ...tokenOf(token0), address: getAddress(pair.id), symbol: 'UNI-V2', decimals: 18 }
  return priced.set(pair.id, { token, usd: null, band: null, usdE18: null, doubt: null, pair: standing })
}

function pricedToken(token: SimToken, { band, doubt }: SimPrice): PricedToken {
  const usdE18 = band?.highE18 ?? null
  return {
    token: tokenOf(token),
    usd: band === null ? null : Number(band.midE18) / 1e18,
    band,
    usdE18,
    doubt,
    pair: null,
  }
}
