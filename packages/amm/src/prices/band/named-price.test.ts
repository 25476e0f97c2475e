import { describe, expect, it } from 'vitest'
import { evidenceTime, feedOf, rowOf } from './evidence.fixture.ts'
import { createNamedPrices, type NamedReading, type NamedReadings } from './price-band.ts'
import type { PoolReading } from './pool-reading.ts'

const nothing: NamedReading = { usdPegged: false, feed: null, expected: null, pools: [], seen: [] }
const dollar = { ...nothing, usdPegged: true }

describe('createNamedPrices', () => {
  it('prices through the quotes of pools, and theirs', () => {
    const price = pricesOf({
      usdc: dollar,
      weth: { ...nothing, pools: [pool(1, 'usdc', 3_000)] },
      wbtc: { ...nothing, pools: [pool(2, 'weth', 30)] },
      rest: { ...nothing, pools: [pool(3, 'wbtc', 0.5)] },
    })
    expect(usdOf(price('weth'))).toBeCloseTo(3_000, 6)
    expect(usdOf(price('wbtc'))).toBeCloseTo(90_000, 4)
    expect(usdOf(price('rest'))).toBeCloseTo(45_000, 4)
  })

  it('goes no further than two tokens between a price and the dollar', () => {
    const price = pricesOf({
      usdc: dollar,
      a: { ...nothing, pools: [pool(1, 'usdc', 2)] },
      b: { ...nothing, pools: [pool(2, 'a', 2)] },
      c: { ...nothing, pools: [pool(3, 'b', 2)] },
      d: { ...nothing, pools: [pool(4, 'c', 2)] },
    })
    expect(usdOf(price('c'))).toBeCloseTo(8, 6)
    expect(price('d')).toMatchObject({ band: null, doubt: 'silent' })
  })

  it('ends a circle at the feed or the peg of the token it comes back to', () => {
    const price = pricesOf({
      usdc: { ...dollar, pools: [pool(1, 'usdt', 1.01)] },
      usdt: { ...dollar, pools: [pool(2, 'usdc', 0.99)] },
      own: { ...nothing, pools: [pool(3, 'other', 5)] },
      other: { ...nothing, pools: [pool(4, 'own', 0.2)] },
    })
    expect(edges(price('usdc'))).toEqual([0.9999, 1.01].map((edge) => expect.closeTo(edge, 6)))
    expect(edges(price('usdt'))).toEqual([0.99, 1].map((edge) => expect.closeTo(edge, 6)))
    expect(price('own').band).toBeNull()
  })

  it.each<readonly [string, Readonly<Record<string, NamedReading>>, string]>([
    ['a dollar token off its peg', { quote: { ...dollar, feed: feedOf(0.9, evidenceTime) } }, 'off its peg'],
    ['one with a band that leaves its peg', { quote: { ...dollar, feed: feedOf(0.984, evidenceTime) } }, 'off its peg'],
    ['a token without a price', { quote: nothing }, 'no price'],
    ['a token nobody named', {}, 'no named source'],
  ])('lets pools against %s say nothing', (_what, quote, why) => {
    const { band, witnesses } = pricesOf({ ...quote, own: { ...nothing, pools: [pool(1, 'quote', 5)] } })('own')
    expect(band).toBeNull()
    expect(witnesses[0]?.note).toContain(why)
  })

  it('says of a pool that was not read, or does not stand, that it is silent', () => {
    const faulty = { ...pool(1, 'usdc', 5), fault: 'its id is another' }
    const missing = { ...pool(2, 'usdc', 5), now: null }
    const { witnesses } = pricesOf({ usdc: dollar, own: { ...nothing, pools: [faulty, missing] } })('own')
    expect(witnesses.map(({ note }) => note)).toEqual(['its id is another', 'no such pool, or without a price'])
  })

  it('knows nothing of a token that was not read', () => {
    expect(pricesOf({})('own')).toMatchObject({ band: null, doubt: 'silent' })
  })
})

function pricesOf(tokens: Readonly<Record<string, NamedReading>>) {
  const readings: NamedReadings = {
    atSeconds: evidenceTime,
    sequencer: null,
    pushBudgetUsd: 200,
    tokens: new Map(Object.entries(tokens)),
  }
  return createNamedPrices(readings)
}

/** A deep v4 pool that stood at a price for half an hour. */
function pool(n: number, quoteKey: string, price: number): PoolReading {
  const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(price) * 2 ** 96))
  const at = (age: number) => ({ atSeconds: evidenceTime - age, sqrtPriceX96, liquidity: 10n ** 24n, sums: null })
  const side = { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 18 }
  const past = { observed: [], recalled: [], older: [at(1_800), at(900), at(300)], seen: [], held: null }
  return { row: { ...rowOf(n, 'v4'), tickSpacing: 60 }, quoteKey, side, fault: null, now: at(0), ...past }
}

type Verdict = ReturnType<ReturnType<typeof pricesOf>>

function usdOf({ band }: Verdict): number {
  return Number(band?.midE18) / 1e18
}

function edges({ band }: Verdict): readonly number[] {
  return [band?.lowE18, band?.highE18].map((edge) => Number(edge) / 1e18)
}
