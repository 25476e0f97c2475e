import { getSqrtPriceAtTick } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import type { HistoryRequest, ReadLimits, SwapRecord } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { checkPeriods, type Checked, type CheckPorts } from './check-periods.ts'
import type { Period } from './read-periods.ts'

const token = { decimals: 6 }
const pool = { version: 'v3', token0: token, token1: token }
const chain = { blockTimeSeconds: 12 }
const request = { chain, pool, barSeconds: 3_600 } as unknown as HistoryRequest

/** Forty hours, one swap each, at a price of one, those of the tens ten times as large. */
const swaps = Array.from({ length: 40 }, (_, hour): SwapRecord => {
  const amount = hour % 10 === 0 ? 10_000_000n : 1_000_000n
  const state = { sqrtPriceX96: getSqrtPriceAtTick(0), tick: 0, liquidity: 10n ** 12n, fee: 500 }
  const place = { blockNumber: BigInt(hour), logIndex: 0, transactionHash: '0x', timestamp: hour * 3_600 + 60 } as const
  return { ...place, ...state, amount0: amount, amount1: -amount }
})
const reported = swaps.map(({ amount0 }, hour): Period => {
  const volume = Number(amount0) / 1e6
  const facts = { price: 1, open: 1, high: 1, low: 1, volume0: volume, volume1: volume, volumeUsd: volume, tvlUsd: 1 }
  return { startsAt: hour * 3_600, liquidity: 1e12, trades: 1, ...facts }
})
const slots = reported.map(({ startsAt }) => startsAt)

type Endpoint = (from: number, to: number) => readonly SwapRecord[]
const honest: Endpoint = (from, to) => swaps.filter(({ timestamp }) => timestamp >= from && timestamp <= to)

/** Always the same places, spread over what is left. */
const pickInt = (below: number) => Math.floor(below * 0.7)

/** An endpoint of a block a minute, which tells logs of others from a block on. */
const rpcOf = (logsFrom: bigint) => ({
  head: async () => ({ number: 2_400n, timestamp: 144_000n }),
  client: () => ({
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => ({
      number: blockNumber,
      timestamp: blockNumber * 60n,
    }),
    request: async ({ params }: { params: readonly [{ toBlock: string }] }) =>
      BigInt(params[0].toBlock) >= logsFrom ? [{}] : [],
  }),
})
const whole = { timestamp: 144_000, blockNumber: 2_400 }
const archive = rpcOf(0n)
const bare = rpcOf(10_000n)

async function check(
  periods: readonly Period[],
  endpoint = honest,
  of: Partial<HistoryRequest> = {},
  { rpc, upTo } = { rpc: archive, upTo: whole },
  begins = slots,
) {
  const asked: number[] = []
  const liquidity = {
    async swaps(_chain: unknown, _pool: unknown, from: number, to = 0) {
      asked.push(from / 3_600)
      return { swaps: endpoint(from, to), completeFrom: from, complete: true, created: null }
    },
  }
  const found = await checkPeriods(
    { liquidity, rpc } as unknown as CheckPorts,
    { ...request, ...of },
    { slots: begins, reported: periods, opening: null, upTo },
    { pickInt },
  )
  return { ...found, asked }
}

const change = (hour: number, facts: Partial<Period>) =>
  reported.map((period) => (period.startsAt === hour * 3_600 ? { ...period, ...facts } : period))

describe('spot checks of the periods of a subgraph', () => {
  test('take those that claim most, and others that chance picks, in the logs of their hours alone', async () => {
    const { checked, asked } = await check(reported)
    expect([checked, asked.includes(0), new Set(asked).size]).toEqual([5, true, 5])
  })

  test.each<readonly [string, Partial<Period>]>([
    ['trade', { volume0: 11, volume1: 11 }],
    ['trade of token0', { volume0: 11 }],
    ['trade for its liquidity', { liquidity: 1e11 / 9 }],
    ['trade of token0 for its liquidity', { volume0: 5, liquidity: 2.6e11 }],
    ['way of the price', { high: 1.01 }],
  ])('find an hour of more %s than any other', async (_label, facts) => {
    await expect(check(change(33, facts))).rejects.toThrow('tells another hour from 1970-01-02T09:00:00.000Z on')
  })

  test.each<readonly [string, Partial<Period>]>([
    ['less trade', { volume0: 0.9, volume1: 0.9 }],
    ['less of one token', { volume0: 0.98 }],
    ['another price', { price: 1.01, low: 1.001 }],
    ['more liquidity', { liquidity: 1e13 }],
  ])('find an hour of %s where chance falls on it', async (_label, facts) => {
    const { asked } = await check(reported)
    await expect(check(change(asked[1]!, facts))).rejects.toThrow('tells another hour')
    await expect(check(reported.filter(({ startsAt }) => startsAt !== asked[1]! * 3_600))).rejects.toThrow(
      'another hour',
    )
  })

  test('agree with a quiet hour', async () => {
    const quiet: Endpoint = (from, to) => honest(from, to).filter(({ timestamp }) => timestamp < 10 * 3_600)
    expect((await check(reported.slice(0, 10), quiet)).checked).toBe(5)
  })

  test('take an endpoint that has nothing of the time before all it has for one that threw it away', async () => {
    const pruned = (hour: number): [readonly Period[], Endpoint] => [
      change(20, { volume0: 10.05 }),
      (from, to) => honest(from, to).filter(({ timestamp }) => timestamp >= hour * 3_600),
    ]
    const of = { rpc: bare, upTo: whole }
    expect(await check(...pruned(8), {}, of)).toMatchObject({ checked: 4, hasLargest: false })
    await expect(check(...pruned(50), {}, of)).rejects.toThrow('tells of trade of which the endpoint has no log')
    const holed: Endpoint = (from, to) => (from === 28 * 3_600 ? [] : honest(from, to))
    await expect(check(reported, holed, {}, of)).rejects.toThrow('tells another hour')
  })

  test.each([1, 20, 40])('find trade told of %i quiet hours before the first swap', async (hours) => {
    const quiet: Endpoint = (from, to) => honest(from, to).filter(({ timestamp }) => timestamp >= hours * 3_600)
    await expect(check(reported, quiet)).rejects.toThrow(/^tells another hour from .* on than the pool logged/)
    expect((await check(reported.slice(hours), quiet)).hasLargest).toBe(true)
  })

  test('hold the hour that was not all told against the swaps up to the last block told', async () => {
    const late = (blockNumber: number) => ({ rpc: archive, upTo: { timestamp: 39.5 * 3_600, blockNumber } })
    const more: Endpoint = (from, to) =>
      honest(from, to).flatMap((swap) => (swap.blockNumber === 39n ? [swap, { ...swap, blockNumber: 40n }] : [swap]))
    const steep = change(39, { high: 1.0000005 })
    expect((await check(steep, more, {}, late(39))).checked).toBe(5)
    await expect(check(steep, more, {}, late(40))).rejects.toThrow('tells another hour')
    await expect(check(steep, more, {}, late(38))).rejects.toThrow('tells another hour')
    await expect(check(change(39, { volume0: 5e9, volume1: 5e9 }), more, {}, late(39))).rejects.toThrow('another hour')
  })

  test.each<readonly [string, (period: Period, at: number) => Partial<Period>]>([
    ['a liquidity of a quarter', () => ({ liquidity: 1e12 / 3.9 })],
    ['prices that swing by less than a thousandth', (_period, at) => ({ price: at % 2 === 0 ? 1.0009 : 1 / 1.0009 })],
  ])('find %s in all hours', async (_label, lie) => {
    const lying = reported.map((period, at) => Object.assign({}, period, lie(period, at)))
    const ranged = lying.map((row) => Object.assign(row, { high: Math.max(1, row.price), low: Math.min(1, row.price) }))
    await expect(check(ranged)).rejects.toThrow('tells another hour')
  })

  test('condemn no hour of few swaps for the liquidity that came for them alone', async () => {
    const met = (liquidity: bigint): Endpoint => {
      return (from, to) =>
        honest(from, to).map((swap) =>
          swap.blockNumber === 0n ? Object.assign({}, swap, { liquidity: 50n * liquidity }) : swap,
        )
    }
    expect((await check(reported, met(10n ** 12n))).checked).toBe(5)
    const thin = change(0, { liquidity: 1e12 / 50 })
    await expect(check(thin, met(10n ** 12n))).rejects.toThrow('tells another hour')
  })

  test('hold a pair to the volume that its swaps net, and to no more where a flash swap paid back in kind', async () => {
    const pair = { pool: { ...pool, version: 'v2' } as unknown as HistoryRequest['pool'] }
    const flash: Endpoint = (from, to) =>
      honest(from, to).flatMap((swap) =>
        swap.blockNumber === 0n ? [swap, { ...swap, amount0: 3_010_000n, amount1: 0n }] : [swap],
      )
    const row = change(0, { volume0: 10 + 2_003.01 })
    expect((await check(row, flash, pair)).checked).toBe(5)
    await expect(check(row, honest, pair)).rejects.toThrow('tells another hour')
    await expect(check(row, flash)).rejects.toThrow('tells another hour')
    await expect(check(change(0, { volume0: 12 }), flash, pair)).rejects.toThrow('tells another hour')
  })

  test('decide nothing where an endpoint fails, and stop where the caller leaves', async () => {
    const failing = (error: Error) => () => {
      throw error
    }
    const cancelled = new ToolError('CANCELLED', 'No.')
    for (const error of [new ToolError('RPC_REFUSED', 'No.'), new TypeError('no list'), cancelled]) {
      expect(await check(reported, failing(error))).toMatchObject({ checked: 0, hasLargest: false })
    }
    const left = check(reported, failing(cancelled), { signal: AbortSignal.abort() })
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('end the reads that are late', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const swaps = (...[, , , , limits]: readonly [unknown, unknown, unknown, unknown?, ReadLimits?]) => {
      signals.push(limits?.signal)
      return new Promise<never>(() => {})
    }
    const ports = { liquidity: { swaps }, rpc: archive } as unknown as CheckPorts
    const found = checkPeriods(
      ports,
      request,
      { slots, reported, opening: null, upTo: whole },
      { pickInt, withinMs: 60 },
    )
    expect(await found).toEqual({ checked: 0, hasLargest: false, costly: 0, unanswered: 5 })
    expect(signals.map((signal) => signal?.aborted)).toEqual(Array(5).fill(true))
  })

  test.each<readonly [mostRequests: number, each: number, found: Partial<Checked>]>([
    [1_000, 100, { checked: 5, costly: 0 }],
    [500, 100, { checked: 3, costly: 2 }],
    [150, 100, { checked: 1, costly: 4 }],
    [150, 150, { checked: 1, costly: 4 }],
    [90, 100, { checked: 0, hasLargest: false, costly: 5 }],
  ])('of %i requests make no more where a period takes %i, and hold as many as these allow', async (...terms) => {
    const [mostRequests, each, outcome] = terms
    let made = 0
    const swaps = async (...[, , from, to = 0, limits]: Parameters<CheckPorts['liquidity']['swaps']>) => {
      for (let request = 0; request < each; request += 1) {
        await Promise.resolve()
        limits?.onRequest?.()
        made += 1
      }
      return { swaps: honest(from, to), completeFrom: from, complete: true, created: null }
    }
    const ports = { liquidity: { swaps }, rpc: archive } as unknown as CheckPorts
    const options = { pickInt, mostRequests }
    const found = await checkPeriods(ports, request, { slots, reported, opening: null, upTo: whole }, options)
    expect(found).toMatchObject({ ...outcome, unanswered: 0 })
    expect(made).toBeLessThanOrEqual(mostRequests)
  })

  test('say so where not all of those that claim most are held', async () => {
    const few = change(5, { high: 1.0000005 }).slice(0, 8)
    expect(await check(few, honest, {}, undefined, slots.slice(0, 8))).toMatchObject({ checked: 1, hasLargest: false })
  })
})
