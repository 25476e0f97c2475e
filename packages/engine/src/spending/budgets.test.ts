import { type Hex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PriceBand } from '@svc/amm'
import { parsePolicy } from '../policy/policy.ts'
import { budgetNames, poolBudgetName, mostLost, mostLostText } from './budgets.ts'
import { type BudgetedValue, budgetsOf } from './spend-budgets.ts'
import type { PricedToken } from '../value/spend-value.ts'
import { bandOf } from '../value/bands.fixture.ts'
import type { Holdings } from '../value/trusted-value.ts'
import { valueBounds } from '../value/value-refusals.ts'

const policy = parsePolicy({ allowlist: { mode: 'lenient' }, maxDailyLossUsd: '20' }, { production: false })
const nothing: Holdings = { tokens: new Map(), positions: [], shares: [] }
const holding = (amounts: Readonly<Record<string, bigint>>): Holdings => {
  return { ...nothing, tokens: new Map(Object.entries(amounts)) }
}
const usd = (dollars: number) => BigInt(dollars) * 10n ** 6n

describe('what a call takes out of the budgets of a day', () => {
  it('is nothing where it only brings funds home', () => {
    expect(budgetsOf({ ...valueOf({ leaves: holding({ pooled: usd(50) }) }), isExit: true }, spend)).toEqual([])
  })

  it('of tokens that pools alone price is the larger side, of each a tenth of its depth, of all a sum', () => {
    const value = valueOf({ leaves: holding({ pooled: usd(50), fed: usd(70) }), arrives: holding({ other: usd(80) }) })
    expect(pooled(value)).toEqual([
      ['priced by pools', usd(130), usd(200)],
      ['priced by pools 1 pooled', usd(50), usd(100)],
      ['priced by pools 1 other', usd(80), usd(100)],
    ])
  })

  it('has nothing of a token without a named source that leaves, and does not ask for what arrives', () => {
    const of = (side: Partial<BudgetedValue['permitted'][number]>) =>
      budgetsOf(valueOf(side), spend).filter(({ name }) => name.startsWith('without a named source'))
    expect(of({ leaves: holding({ unnamed: 1n }) })).toEqual([
      { name: 'without a named source 1 unnamed', usdMicros: 1n, capUsdMicros: 0n },
    ])
    const free = parsePolicy({ unnamedSales: 'allow' }, { production: false })
    expect(budgetsOf(valueOf({ leaves: holding({ unnamed: 1n }) }), { ...spend, policy: free })).toHaveLength(4)
    expect(of({ arrives: holding({ unnamed: usd(9) }), leaves: holding({ fed: usd(9), unnamed: 0n }) })).toEqual([])
  })

  it('has as little of a token that pools alone price where nobody expects it', () => {
    const of = (side: Partial<BudgetedValue['permitted'][number]>, unnamedSales: 'ask' | 'allow' = 'ask') =>
      budgetsOf(valueOf(side), { ...spend, policy: parsePolicy({ unnamedSales }, { production: false }) }).filter(
        ({ name }) => name.startsWith('without an expected price'),
      )
    expect(of({ leaves: holding({ fresh: 1n }) })).toEqual([
      { name: 'without an expected price 1 fresh', usdMicros: 1n, capUsdMicros: 0n },
    ])
    expect(of({ leaves: holding({ fresh: 1n }) }, 'allow')).toEqual([])
    // What nothing prices is refused elsewhere.
    expect(of({ leaves: holding({ silent: 1n, unseen: 1n }) })).toEqual([])
    expect(of({ arrives: holding({ fresh: 1n }), leaves: holding({ pooled: 1n, fed: 1n }) })).toEqual([])
  })

  it('counts the worst that the calldata permits: a deposit may take none of a token when it is simulated, and all when it is mined', () => {
    const fed = { leaves: holding({ fed: usd(70) }), arrives: nothing }
    const permitted = [
      fed,
      ...['pooled', 'fresh', 'unnamed'].map((token) => ({ leaves: holding({ [token]: usd(60) }), arrives: nothing })),
    ]
    const asked = budgetsOf({ ...valueOf({}), permitted }, spend).map(({ name, usdMicros }) => [name, usdMicros])
    expect(asked).toEqual(
      expect.arrayContaining([
        ['priced by pools 1 pooled', usd(60)],
        ['without an expected price 1 fresh', 1n],
        ['without a named source 1 unnamed', 1n],
      ]),
    )
  })

  it('is taken out of the budgets of the pools where each has one, and else out of the speculative one too', () => {
    const [one, other, unbudgeted, unlisted] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
      Hex,
      Hex,
      Hex,
      Hex,
    ]
    const pools = {
      '1': { [one]: { budgetUsd: '300' }, [other]: { budgetUsd: '200' }, [unbudgeted]: { maxLossBps: 10 } },
    }
    const budgeted = parsePolicy({ speculativeUsd: '9', valueRules: { pools } }, { production: false })
    const asked = (...ids: readonly Hex[]) => {
      const value = { ...valueOf({}), bounds: valueBounds(budgeted, 1, ['execute_swap'], ids) }
      const budgets = budgetsOf(
        { ...value, speculativeUsdMicros: usd(7) },
        { ...spend, policy: budgeted, spendUsdMicros: usd(50) },
      )
      const isAsked = (name: string) => name === budgetNames.speculative || name.startsWith('pool ')
      return budgets.flatMap(({ name, usdMicros, capUsdMicros }) =>
        isAsked(name) ? [[name, usdMicros, capUsdMicros]] : [],
      )
    }
    const cap = usd(9)
    const [first, second] = [
      [poolBudgetName(1, one), usd(50), usd(300)],
      [poolBudgetName(1, other), usd(50), usd(200)],
    ]
    expect(asked(one, other)).toEqual([[budgetNames.speculative, 0n, cap], first, second])
    for (const id of [unbudgeted, unlisted]) {
      expect(asked(one, id)).toEqual([[budgetNames.speculative, usd(7), cap], first])
    }
    expect(asked()).toEqual([[budgetNames.speculative, usd(7), cap]])
  })

  it('counts such a token within shares, that leave beside a token without a price too', () => {
    const share = {
      pair: 'pair',
      token0: 'pooled',
      reserve0: usd(600),
      reserve1: usd(600),
      amount: 1n,
      burnSupply: 10n,
    }
    const shares = (token1: string): Holdings => ({ ...nothing, shares: [{ ...share, token1 }] })
    expect(pooled(valueOf({ leaves: shares('fed') }))[1]).toEqual(['priced by pools 1 pooled', usd(120), usd(100)])
    expect(pooled(valueOf({ leaves: shares('unnamed') }))[1]).toEqual(['priced by pools 1 pooled', usd(60), usd(100)])
    expect(pooled(valueOf({ arrives: shares('unnamed') }))[1]).toEqual(['priced by pools 1 pooled', 0n, usd(100)])
  })
})

/** A dollar each, of six decimals. */
function pricedAs(symbol: string, change: Partial<PriceBand>): [string, PricedToken] {
  const token = {
    address: zeroAddress,
    symbol,
    name: symbol,
    decimals: 6,
    isNative: false,
    listed: true,
    usdPegged: false,
  }
  const band = bandOf(10n ** 18n, change)
  return [symbol, { token, usd: 1, band, usdE18: band.highE18, doubt: null, pair: null }]
}

const byPools = { basis: 'pools', depthUsdMicros: usd(1_000) } as const
const [key, listed] = pricedAs('unnamed', {})
const unnamed: [string, PricedToken] = [key, { ...listed, band: null, usdE18: null, doubt: 'unnamed' }]
const silent: [string, PricedToken] = ['silent', { ...unnamed[1], doubt: 'silent' }]
const priced = new Map([
  pricedAs('fresh', { ...byPools, isAnchored: false }),
  pricedAs('pooled', byPools),
  pricedAs('other', byPools),
  pricedAs('fed', {}),
  unnamed,
  silent,
])
const spend = { policy, chainId: 1, priced, spendUsdMicros: 0n }

function valueOf(moved: Partial<BudgetedValue['permitted'][number]>): BudgetedValue {
  const bounds = valueBounds(policy, 1, ['execute_swap'], [])
  const none = { lossUsdMicros: 0n, speculativeUsdMicros: 0n, coldUsdMicros: 0n }
  return { isExit: false, bounds, ...none, permitted: [{ leaves: nothing, arrives: nothing, ...moved }] }
}

function pooled(value: BudgetedValue) {
  return budgetsOf(value, spend).flatMap(({ name, usdMicros, capUsdMicros }) =>
    name.startsWith('priced by pools') ? [[name, usdMicros, capUsdMicros]] : [],
  )
}

const lostUnder = (written: object) => mostLost(parsePolicy(written, { production: true }))

it('is, under the defaults, 40 dollars in trades, 40 of gas, and thrice that of gas of bringing funds home', () => {
  expect(lostUnder({})).toEqual({ trades: '40', gas: '40', homeGas: '120', total: '200', lastHomeGas: '500' })
  expect(mostLostText(lostUnder({}))).toBe(
    '200 USD (40 in trades worse than trusted prices, 40 of gas, 120 of gas of bringing funds home)',
  )
})

it('follows the day, and what is written in its place', () => {
  const limitsUsd = { perTransaction: '100', perSession: '300', daily: '300' }
  expect(lostUnder({ limitsUsd })).toEqual({ trades: '6', gas: '6', homeGas: '18', total: '30', lastHomeGas: '100' })
  expect(lostUnder({ limitsUsd, maxDailyLossUsd: '10' })).toMatchObject({ trades: '10', gas: '10', total: '50' })
  expect(lostUnder({ limitsUsd, maxDailyGasUsd: '0.5' })).toMatchObject({ trades: '6', homeGas: '1.5', total: '8' })
})
