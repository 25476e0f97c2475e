import type { Budget } from '@svc/store'
import { parsePolicy } from './policy.ts'
import type { PricedTokens } from './spend-value.ts'
import { bandOf } from './value/bands.fixture.ts'
import { budgetNames } from './value/budget-names.ts'
import { valueBounds } from './value/value-bounds.ts'
import type { WeighedIntent } from './weigh-intent.ts'
import type { CallValue } from './weigh-value.ts'

export const weth = '0x4200000000000000000000000000000000000006'
export const pool = '0xd0b53d9277642d899df5c87a3966a349a798f224'
const e18 = 10n ** 18n
export const policy = parsePolicy({ maxDailyLossUsd: '40' }, { production: false })
const token = { address: weth, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, isNative: false } as const
const entry = { token: { ...token, listed: true, usdPegged: false }, usd: 3_000, usdE18: 3_000n * e18 }
const priced: PricedTokens = new Map([
  [weth, { ...entry, band: bandOf(3_000n * e18, { eachSideBps: 10n }), doubt: null, pair: null }],
])
const loses = { worst: { outUsdMicros: 240_000_000n, inUsdMicros: 238_000_000n }, lossBps: 84, allowedBps: 126 }
const none = { tokens: new Map(), positions: [], shares: [] }
export const value: CallValue = {
  ...loses,
  outUsdMicros: 240_000_000n,
  inUsdMicros: 239_000_000n,
  lossUsdMicros: 2_000_000n,
  bandBps: 21,
  isWithin: true,
  speculativeUsdMicros: 0n,
  coldUsdMicros: 0n,
  isExit: false,
  homeUsdMicros: 0n,
  leavingUsdMicros: 0n,
  arrivingUsdMicros: 0n,
  priceImpactBps: 12,
  bounds: valueBounds(policy, 8453, 'execute_swap', [pool]),
  pools: [pool],
  simulated: { leaves: { ...none, tokens: new Map([[weth, e18]]) }, arrives: none },
  permitted: [],
  warnings: [],
  refusals: [],
}
const loss: Budget = { name: budgetNames.loss, usdMicros: 2_000_000n, capUsdMicros: 40_000_000n }

/** A swap of an ether that was weighed, and loses two dollars. */
export const weighed = (
  change: Partial<CallValue> = {},
  budgets: readonly Budget[] = [loss],
  isWayHome = false,
): WeighedIntent => ({
  status: 'weighed',
  isWayHome,
  blockNumber: 7n,
  playedBy: 'eth_simulateV1',
  priced,
  value: { ...value, ...change },
  refusals: [],
  budgets,
  spendUsdMicros: 240_000_000n,
  gasUsdMicros: 0n,
})
