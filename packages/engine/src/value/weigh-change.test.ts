import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { bandOf } from './bands.fixture.ts'
import type { Holdings, TrustedPrice } from './trusted-value.ts'
import { type Outcome, weighChange, type WeighedChange } from './weigh-change.ts'

const e18 = 10n ** 18n
const usd = (dollars: number) => BigInt(Math.round(dollars * 1e6))
const prices: Readonly<Record<string, TrustedPrice>> = {
  usdc: { ...bandOf(e18), decimals: 6 },
  weth: { ...bandOf(3_000n * e18), decimals: 18 },
  wide: { ...bandOf(100n * e18, { eachSideBps: 200n }), decimals: 18 },
  cold: { ...bandOf(100n * e18, { eachSideBps: 5_000n, basis: 'cold' }), decimals: 18 },
}
const held = (tokens: Readonly<Record<string, bigint>>): Holdings => {
  return { tokens: new Map(Object.entries(tokens)), positions: [], shares: [] }
}
const outcome = (leaves: Readonly<Record<string, bigint>>, arrives: Readonly<Record<string, bigint>>): Outcome => {
  return { leaves: held(leaves), arrives: held(arrives) }
}
const weigh = (
  [whole, ...outcomes]: readonly [Outcome, ...Outcome[]],
  change: Partial<WeighedChange> = {},
  feeBps = 30,
) =>
  weighChange({
    moved: { whole, calls: [{ feeBps, outcomes }], areTradesAlone: false },
    prices: (token) => prices[token] ?? null,
    isUnnamed: (token) => token === 'odd',
    bounds: { maxLossBps: 100, mostLossBps: 500 },
    isOwnMove: false,
    wrappedNative: 'weth',
    ...change,
  })
const sold = (usdc: number) => outcome({ weth: e18 }, { usdc: usd(usdc) })

describe('G13: what leaves against what arrives', () => {
  it('is within up to what a call may lose and the fee of the pool, and not a cent beyond', () => {
    expect(weigh([sold(2_961)])).toMatchObject({ isWithin: true, lossBps: 130, allowedBps: 130 })
    expect(weigh([sold(2_960.98)])).toMatchObject({ isWithin: false, lossBps: 131 })
  })

  it('is judged by the worst that the calldata permits, and shows what was simulated', () => {
    expect(weigh([sold(3_000), sold(2_900)])).toMatchObject({
      isWithin: false,
      outUsdMicros: usd(3_000),
      inUsdMicros: usd(3_000),
      worst: { inUsdMicros: usd(2_900) },
      lossUsdMicros: usd(100),
    })
  })

  it('takes both sides from the same edge, so that a doubt they share excuses nothing', () => {
    // 100 of the wide token for 97 of it back: 3 % wherever its price lies, of which its band of 4.1 % excuses what it is wide.
    const swapped = weigh([outcome({ wide: 100n * e18 }, { wide: 97n * e18 })])
    expect(swapped).toMatchObject({ lossBps: 300, bandBps: 409, allowedBps: 500 })
  })

  it('counts feeds that stand alone as wrong in opposite directions, for a day and for the outermost bound', () => {
    const alone = { eachSideBps: 100n, depthUsdMicros: 0n }
    const fed: Readonly<Record<string, TrustedPrice>> = {
      one: { ...bandOf(100n * e18, alone), decimals: 18 },
      other: { ...bandOf(100n * e18, alone), decimals: 18 },
      deep: { ...bandOf(100n * e18, { eachSideBps: 100n }), decimals: 18 },
    }
    const traded = (from: string, to: string, amount: number) =>
      weigh([outcome({ [from]: e18 }, { [to]: (e18 * BigInt(amount)) / 1_000n })], {
        prices: (token) => fed[token] ?? null,
      })
    // 101 leave, and 99 of what arrives.
    expect(traded('one', 'other', 1_000).lossUsdMicros).toBe(usd(2))
    expect(traded('one', 'other', 980)).toMatchObject({ isWithin: true, lossUsdMicros: usd(3.98) })
    expect(traded('one', 'other', 969)).toMatchObject({ isWithin: false, lossUsdMicros: usd(5.069) })
    // A pool beside a feed keeps a call from being refused, not the day from counting what the feed may be off.
    expect(traded('one', 'deep', 969)).toMatchObject({ isWithin: true, lossUsdMicros: usd(5.069) })
    expect(traded('one', 'one', 1_000).lossUsdMicros).toBe(0n)
  })

  it('takes native currency and its wrapped form for one, wherever in its band their price lies', () => {
    const fed: TrustedPrice = { ...bandOf(100n * e18, { eachSideBps: 100n }), decimals: 18 }
    const wrapped = weigh([outcome({ [zeroAddress]: e18 }, { weth: e18 })], {
      prices: (token) => (token === zeroAddress || token === 'weth' ? fed : null),
    })
    expect(wrapped).toMatchObject({ isWithin: true, lossUsdMicros: 0n })
  })

  it('counts the edge at which the loss is the larger share', () => {
    const bought = weigh([outcome({ wide: e18 }, { usdc: usd(98) })])
    expect(bought).toMatchObject({ lossBps: 393, isWithin: true, lossUsdMicros: usd(4) })
  })

  it('is never excused beyond the most, unless the operator says so for a tool or pool', () => {
    expect(weigh([sold(2_800)], {}, 1_000)).toMatchObject({ allowedBps: 500, isWithin: false })
    const bounds = { maxLossBps: 700, mostLossBps: 500 }
    expect(weigh([sold(2_800)], { bounds })).toMatchObject({ allowedBps: 700, isWithin: true })
  })

  it('brings no more at worst than is simulated, though its worst lies at the edge where both sides are worth more', () => {
    const moved = weigh([outcome({ wide: 100n * e18 }, { wide: 99n * e18 })])
    expect(moved.leastInUsdMicros).toBeLessThanOrEqual(moved.inUsdMicros)
    // In the middle of the band, as what is simulated: the least that arrives is worth no more at worst than it is beside it.
    const bounded = weigh([
      outcome({ usdc: usd(100) }, { wide: e18 }),
      outcome({ usdc: usd(100) }, { wide: (e18 * 99n) / 100n }),
    ])
    expect(bounded.leastInUsdMicros).toBe(usd(99))
    const placed = weigh([outcome({ usdc: usd(100) }, { wide: e18 }), outcome({ wide: e18 }, { usdc: usd(101) })])
    expect(placed.leastInUsdMicros).toBeLessThanOrEqual(placed.inUsdMicros)
  })

  it('brings at worst what the calldata of trades asks for, also where their pools pay more than the market', () => {
    const one = { areTradesAlone: true, calls: [{ feeBps: 1, outcomes: [sold(2_997.29)] }] }
    const above = weigh([sold(3_012)], { moved: { whole: sold(3_012), ...one } })
    expect(above).toMatchObject({ leastInUsdMicros: usd(2_997.29), lossUsdMicros: usd(2.71) })
    // The minimum, too, lies above the market.
    const dear = { areTradesAlone: true, calls: [{ feeBps: 1, outcomes: [sold(3_005)] }] }
    expect(weigh([sold(3_012)], { moved: { whole: sold(3_012), ...dear } }).leastInUsdMicros).toBe(usd(3_005))
    // The second call trades on what the first one must bring.
    const whole = outcome({ usdc: usd(3_000) }, { usdc: usd(3_030) })
    const legs = [outcome({ usdc: usd(3_000) }, { weth: e18 }), outcome({ weth: e18 }, { usdc: usd(2_985) })]
    const calls = legs.map((leg) => ({ feeBps: 1, outcomes: [leg] }))
    expect(weigh([whole], { moved: { whole, calls, areTradesAlone: true } }).leastInUsdMicros).toBe(usd(2_985))
  })

  it('brings at worst all that the call brings, not only what it deposits', () => {
    const [deposit, emptied] = [
      outcome({ usdc: usd(77) }, { usdc: usd(76) }),
      outcome({ usdc: usd(93) }, { usdc: usd(93) }),
    ]
    expect(weigh([emptied, deposit]).leastInUsdMicros).toBe(usd(92))
  })

  it('leaves rounding alone, but a day counts it', () => {
    expect(weigh([outcome({ usdc: 10_000n }, {})])).toMatchObject({ isWithin: true, lossUsdMicros: 10_000n })
    expect(weigh([outcome({ usdc: 10_001n }, {})])).toMatchObject({ isWithin: false })
  })

  it('of tokens nobody vouches for is speculation: all that is short, and no loss', () => {
    expect(weigh([outcome({ usdc: usd(50) }, { odd: e18 })])).toMatchObject({
      isWithin: true,
      speculativeUsdMicros: usd(50),
      lossUsdMicros: 0n,
    })
  })

  it('of a token whose sources are silent is a loss: it is none that nobody named', () => {
    expect(weigh([outcome({ usdc: usd(50) }, { silent: e18 })])).toMatchObject({ isWithin: false, lossBps: 10_000 })
  })

  it('at prices of the moment goes by the estimate, and all that leaves is a cold start at the high edge', () => {
    expect(weigh([outcome({ cold: e18 }, { usdc: usd(99) })])).toMatchObject({
      isWithin: true,
      bandBps: 0,
      lossBps: 100,
      coldUsdMicros: usd(150),
    })
  })

  it('is a cold start as a whole where nothing seems to be lost, too', () => {
    expect(weigh([outcome({ cold: e18 }, { usdc: usd(120) })])).toMatchObject({ lossBps: 0, coldUsdMicros: usd(150) })
    expect(weigh([outcome({ usdc: usd(100) }, { cold: 2n * e18 })])).toMatchObject({
      lossBps: 0,
      coldUsdMicros: usd(100),
    })
  })

  it('is judged in each outcome: one of a cent does not hide another', () => {
    const circle = outcome({ usdc: 9_000n }, {})
    expect(weigh([circle, sold(1_500)])).toMatchObject({ isWithin: false, lossBps: 5_000 })
  })

  it('speculates with the most that an outcome may lose, not with the largest share', () => {
    const small = outcome({ usdc: usd(10) }, { odd: e18 })
    const large = outcome({ usdc: usd(1_000) }, { odd: e18, usdc: usd(500) })
    expect(weigh([small, large])).toMatchObject({ speculativeUsdMicros: usd(500) })
  })

  it('is nothing where nothing leaves', () => {
    expect(weigh([outcome({}, { weth: e18 })])).toMatchObject({ isWithin: true, lossBps: 0, lossUsdMicros: 0n })
  })
})

describe('several calls', () => {
  const moved = (...calls: readonly Outcome[]) => ({
    whole: outcome({ weth: 2n * e18 }, { usdc: usd(6_000) }),
    calls: calls.map((call) => ({ feeBps: 30, outcomes: [call] })),
    areTradesAlone: false,
  })

  it('are weighed one by one: what a later one may bring makes up for nothing', () => {
    expect(weigh([sold(3_000)], { moved: moved(sold(2_000), sold(4_000)) })).toMatchObject({
      isWithin: false,
      worst: { outUsdMicros: usd(3_000), inUsdMicros: usd(2_000) },
    })
  })

  it('bring at worst what is simulated, less what each may lose', () => {
    const [close, swap] = [outcome({}, {}), outcome({ weth: e18 }, { usdc: usd(2_990) })]
    const whole = outcome({ weth: 4n * e18 }, { weth: 3n * e18, usdc: usd(2_995) })
    const calls = [close, swap].map((call) => ({ feeBps: 30, outcomes: [call] }))
    expect(weigh([sold(3_000)], { moved: { whole, calls, areTradesAlone: false } }).leastInUsdMicros).toBe(usd(11_985))
  })

  it('lose together what each may lose', () => {
    expect(weigh([sold(3_000)], { moved: moved(sold(2_990), sold(2_985)) })).toMatchObject({
      isWithin: true,
      lossUsdMicros: usd(25),
    })
  })
})
