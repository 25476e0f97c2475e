import { chains } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { v2PairAddress } from '@svc/amm/liquidity'
import type { Intent, UsdPrice } from '@svc/amm'
import { pairShares } from './pair-worth.ts'
import {
  createNativePrices,
  type PricedToken,
  type PricedTokens,
  priceTokens,
  spentAmounts,
  usdOf,
  valueOf,
} from './spend-value.ts'
import { bandOf } from './bands.fixture.ts'

const usdc: Address = '0x0000000000000000000000000000000000001111'
const dust: Address = '0x0000000000000000000000000000000000002222'
const pair: Address = '0x0000000000000000000000000000000000003333'
const entry = (decimals: number, usd: number | null, pair: PricedToken['pair'] = null) => ({
  token: { address: usdc, symbol: 'T', name: 'T', decimals, isNative: false, listed: true, usdPegged: false },
  usd,
  band: usd === null ? null : bandOf(BigInt(Math.round(usd * 1e9)) * 10n ** 9n),
  usdE18: usd === null ? null : BigInt(Math.round(usd * 1e9)) * 10n ** 9n,
  doubt: usd === null ? ('unnamed' as const) : null,
  pair,
})
const priced: PricedTokens = new Map([
  [usdc, entry(6, 1)],
  [dust, entry(18, 1e-9)],
  [zeroAddress, entry(18, null)],
])

/** Asked only where the chain knows v2 pairs and a token is on no list. */
const rpc = {
  client: () => {
    throw new Error('not asked')
  },
  head: () => Promise.reject(new Error('not asked')),
}

const nothing: Intent = {
  chainId: 1,
  calls: [],
  atomicity: 'single',
  spends: [],
  receives: [],
  approvals: [],
  riskTier: 'routine',
  slippageBps: null,
  deadline: null,
  recipients: [],
  why: '',
}

describe('what a call spends', () => {
  it('is the largest of declared, simulated and approved, per token', () => {
    const intent = {
      spends: [
        { token: usdc, amount: 10n },
        { token: usdc, amount: 5n },
      ],
      approvals: [{ token: dust, spender: pair, amount: 7n, via: 'erc20', revokeAfter: true }],
    } as const satisfies Partial<Intent>
    const deltas = new Map([
      [usdc, -12n],
      [dust, -9n],
      [pair, 4n],
    ])
    expect(Object.fromEntries(spentAmounts({ ...nothing, ...intent }, deltas))).toEqual({ [usdc]: 15n, [dust]: 9n })
  })

  it('has no price for limits where no named source tells one, though reports show it', async () => {
    const chain = { ...chains.find(({ id }) => id === 1)!, amm: {} }
    const token = { ...entry(18, null).token, address: dust }
    const spot = { usd: 3, pools: [], liquidityUsd: 30_000, blockNumber: 1n, readAt: 0 }
    const trusted = { doubt: null, band: bandOf(3n * 10n ** 18n), mostE18: null }
    const prices = {
      usd: async (_: unknown, { address }: { address: Address }) => {
        const confidence = { confidence: 'LOW', method: 'pool_spot' } as const
        return {
          ...spot,
          ...confidence,
          ...(address === dust ? ({ band: null, mostE18: null, doubt: 'silent' } as const) : trusted),
        }
      },
      ratio: async () => null,
      doubt: async () => 'unnamed' as const,
    }
    const directory = { byAddress: async (_: unknown, address: Address) => ({ ...token, address }) }
    const table = await priceTokens([dust], {
      directory,
      prices,
      rpc,
      chain,
      nativePrices: createNativePrices(),
      now: () => 0,
    })
    expect(valueOf(new Map([[dust, 10n ** 18n]]), table)).toEqual({
      usdMicros: 0n,
      unpriced: [{ token: dust, doubt: 'silent', listed: true }],
    })
    expect(usdOf(dust, 10n ** 18n, table)).toBe(3)
    expect(valueOf(new Map([[zeroAddress, 10n ** 18n]]), table)).toEqual({ usdMicros: 3_000_000n, unpriced: [] })
  })

  it.each([
    ['is none when its block is more than five minutes old', { readAt: 1_000, nowMs: 1_301_000 }, null, 'stale'],
    ['counts up to five minutes', { readAt: 1_000, nowMs: 1_300_999 }, 3n * 10n ** 18n, null],
    ['is none when it is zero', { band: bandOf(0n) }, null, 'absurd'],
    ['is none when its sources are silent', { band: null, doubt: 'silent' as const }, null, 'silent'],
  ])('a price %s', async (_what, { nowMs = 1_000_000, ...change }: PriceChange, usdE18, doubt) => {
    const chain = { ...chains.find(({ id }) => id === 1)! }
    const price: UsdPrice = {
      usd: 3,
      band: bandOf(3n * 10n ** 18n),
      mostE18: null,
      doubt: null,
      method: 'pool_twap',
      pools: [],
      liquidityUsd: 30_000,
      confidence: 'HIGH',
      blockNumber: 1n,
      readAt: 1_000,
      ...change,
    }
    const prices = { usd: async () => price, ratio: async () => null, doubt: async () => 'unnamed' as const }
    const directory = { byAddress: async (_: unknown, address: Address) => ({ ...entry(18, 1).token, address }) }
    const context = { directory, prices, rpc, now: () => nowMs }
    const table = await priceTokens([], { ...context, nativePrices: createNativePrices(), chain })
    expect(table.get(zeroAddress)).toMatchObject({ usdE18, doubt })
    // Where blocks come on demand, the age of one says nothing.
    const local = await priceTokens([], {
      ...context,
      nativePrices: createNativePrices(),
      chain: { ...chain, maxHeadAgeSeconds: null },
    })
    expect(local.get(zeroAddress)).toMatchObject(doubt === 'stale' ? { usdE18: 3n * 10n ** 18n } : { usdE18 })
  })

  it.each(['unnamed', 'pastless', 'silent'] as const)('says why a token has no price at all: %s', async (doubt) => {
    const chain = { ...chains.find(({ id }) => id === 1)!, amm: {} }
    const prices = { usd: async () => null, ratio: async () => null, doubt: async () => doubt }
    const directory = { byAddress: async (_: unknown, address: Address) => ({ ...entry(18, 1).token, address }) }
    const context = { directory, prices, rpc, chain, nativePrices: createNativePrices(), now: () => 0 }
    expect((await priceTokens([dust], context)).get(dust)).toMatchObject({ band: null, usdE18: null, doubt })
  })

  it('is rounded up, however little a token is worth', () => {
    expect(valueOf(new Map([[dust, 1n]]), priced)).toEqual({ usdMicros: 1n, unpriced: [] })
    expect(valueOf(new Map([[dust, 10n ** 27n]]), priced)).toEqual({ usdMicros: 1_000_000n, unpriced: [] })
    expect(valueOf(new Map([[usdc, 1_000_001n]]), priced)).toEqual({ usdMicros: 1_000_001n, unpriced: [] })
  })

  it('names tokens without a price, unknown ones and native currency included', () => {
    const amounts = new Map([
      [usdc, 1_000_000n],
      [zeroAddress, 1n],
      ['0xabc', 1n],
      ['0xdef', 0n],
    ])
    expect(valueOf(amounts, priced)).toEqual({
      usdMicros: 1_000_000n,
      unpriced: [
        { token: zeroAddress, doubt: 'unnamed', listed: true },
        { token: '0xabc', doubt: 'unnamed', listed: false },
      ],
    })
  })

  it('keeps the sign in reports', () => {
    expect([usdOf(usdc, -2_500_000n, priced), usdOf(usdc, 1n, priced)]).toEqual([-2.5, 0.000001])
    // Without a price, and not looked at.
    expect([usdOf(zeroAddress, 1n, priced), usdOf('0xdef', 1n, priced)]).toEqual([null, null])
  })
})

describe('pair shares', () => {
  const base = chains.find(({ name }) => name === 'base')!
  const [weth, usdcOfBase] = [base.wrappedNative.address, base.tokens.find(({ symbol }) => symbol === 'USDC')!.address]

  it("are known by the factory's own address for two tokens, native currency as wrapped", () => {
    const [token0, token1] = [weth, usdcOfBase].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)) as [
      Address,
      Address,
    ]
    const expected = v2PairAddress(base.amm.v2!, token0, token1).toLowerCase()
    expect([...pairShares(base, [weth, usdcOfBase]).keys()]).toContain(expected)
    expect([...pairShares(base, [usdcOfBase, zeroAddress]).keys()]).toEqual([expected])
  })

  it('never a contract that a caller names', () => {
    const named = getAddress('0x00000000000000000000000000000000000bad00')
    expect(pairShares(base, [named, weth, usdcOfBase]).has(named.toLowerCase())).toBe(false)
    expect(pairShares({ ...base, amm: {} }, [weth, usdcOfBase]).size).toBe(0)
  })
})

type PriceChange = Partial<UsdPrice> & { readonly nowMs?: number }
