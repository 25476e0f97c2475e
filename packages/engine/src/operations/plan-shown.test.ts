import { chains, findChain } from '@svc/wallet/core'
import { describe, expect, it } from 'vitest'
import type { IntentDeposit } from '@svc/amm'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { type ShownContext, shownOf } from './plan-shown.ts'

const chain = findChain(chains, 'base')!
const tokenOf = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)!.address
const pair = { token0: tokenOf('WETH'), token1: tokenOf('USDC') }

const values = { leavesUsd: '3000', arrivesUsd: '2999.4', arrivesAtWorstUsd: '2985' }
const value = {
  outUsdMicros: 3_000_000_000n,
  inUsdMicros: 2_999_400_000n,
  leastInUsdMicros: 2_985_000_000n,
  warnings: [],
}

function shown(change: Partial<IntentDeposit> = {}, intent: Partial<ShownContext['intent']> = {}) {
  const deposits = [{ ...mintDeposit, ...pair, ...change }]
  return shownOf({ chain, priced: new Map(), intent: { deposits, ...intent }, value })
}

describe('what a plan shows of a deposit', () => {
  it('is its pool, its range in prices and how its value is divided', () => {
    expect(shown()).toEqual({
      deposits: [
        {
          kind: 'mint',
          version: 'v3',
          pool: mintDeposit.pool,
          token0: { token: pair.token0, symbol: 'WETH', isListed: true },
          token1: { token: pair.token1, symbol: 'USDC', isListed: true },
          feePct: 0.05,
          hooks: null,
          positionId: null,
          createsPool: false,
          tickLower: -197_310,
          tickUpper: -195_310,
          priceLower: 2700,
          priceUpper: 3297.76,
          currentPrice: 3000,
          share0Pct: 50,
        },
      ],
      values,
      warnings: [],
    })
  })

  it('is in the order in which the caller names the tokens', () => {
    const [deposit] = shown({ isInverted: true, amount1: 1_000_000_000n }).deposits
    expect(deposit).toMatchObject({
      token0: { symbol: 'USDC' },
      token1: { symbol: 'WETH' },
      tickLower: -197_310,
      priceLower: 0.000303236,
      priceUpper: 0.00037037,
      currentPrice: 0.000333333,
      share0Pct: 25,
    })
  })

  it.each<readonly [string, Partial<IntentDeposit>, readonly [number | null, number | null]]>([
    ['a pair', { version: 'v2', tickLower: null, tickUpper: null, tickSpacing: null }, [null, null]],
    ['all ticks', { tickLower: -887_270, tickUpper: 887_270 }, [null, null]],
    ['all ticks above one', { tickUpper: 887_270 }, [2700, null]],
    ['all ticks above one, inverted', { tickUpper: 887_270, isInverted: true }, [null, 0.00037037]],
  ])('has no end where the range has none: %s', (_what, change, [priceLower, priceUpper]) => {
    expect(shown(change).deposits).toMatchObject([{ priceLower, priceUpper }])
  })

  it('has no fee where the hook decides it', () => {
    expect(shown({ version: 'v4', fee: 0x800000 }).deposits).toMatchObject([{ feePct: null }])
  })

  it.each<readonly [string, Partial<IntentDeposit>, string]>([
    ['a pool that is created', { createsPool: true }, 'This creates the pool'],
    ['a closed position that would be open again', { kind: 'increase', reopens: true }, 'would be open again'],
    ['a range below the price', { tickUpper: -197_300 }, 'outside of the range'],
    ['a range above the price', { tickLower: -195_320 }, 'outside of the range'],
    ['a hook', { hooks: `0x${'66'.repeat(20)}` }, `0x${'66'.repeat(20)}`],
    ['a token of nobody', { token1: `0x${'77'.repeat(20)}` }, `0x${'77'.repeat(20)} is not on the chain's list`],
  ])('warns of %s', (_what, change, words) => {
    expect(shown(change).warnings).toEqual([expect.stringContaining(words)])
  })

  it('says that the caller takes a pool without a trusted price', () => {
    const asked = { allowsUnpricedPool: true } as const
    const deposits = [{ ...mintDeposit, ...pair, createsPool: true }]
    expect(shown({}, { ...asked, deposits }).warnings).toEqual([expect.stringContaining('no trusted price')])
  })

  it('never says that more arrives, or less leaves, than does, to the cent', () => {
    const odd = { ...value, outUsdMicros: 188_146_801n, inUsdMicros: 188_149_999n, leastInUsdMicros: 49_839_500n }
    expect(shownOf({ chain, priced: new Map(), intent: {}, value: odd }).values).toEqual({
      leavesUsd: '188.15',
      arrivesUsd: '188.14',
      arrivesAtWorstUsd: '49.83',
    })
  })

  it('is nothing where nothing goes into a pool', () => {
    expect(shownOf({ chain, priced: new Map(), intent: {}, value })).toEqual({ deposits: [], values, warnings: [] })
  })
})
