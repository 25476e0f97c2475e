import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Intent, KeptDeposit } from '../intent.ts'
import type { AddRequest, Version } from '../ports.ts'
import { benchQuote } from './planning/bench-quote.fixture.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { type Bench, createBench } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
let other: Bench

beforeEach(async () => {
  ;[bench, other] = await Promise.all([createBench(devnet()), createBench(devnet(), 1)])
  await devnet().fund(other.address, { WETH: '1000', USDC: '3000000' })
})

async function plan(version: Version, change: Partial<AddRequest> = {}): Promise<Intent> {
  const [token0, token1] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
  const { intent } = await bench.liquidity.planAdd(bench.chain, {
    version,
    token0,
    token1,
    fee: version === 'v2' ? null : 500,
    hooks: null,
    amount0: parseAmount('1', 18),
    amount1: null,
    range: version === 'v2' ? null : { pctEachSide: 5 },
    slippageBps: 100,
    deadline: bench.deadline,
    recipient: bench.address,
    ...change,
  })
  return intent
}

function keptOf({ deposits, slippageBps }: Intent): KeptDeposit {
  return { deposit: deposits![0]!, slippageBps: slippageBps! }
}

async function sqrtPriceOf(version: Version): Promise<bigint> {
  const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
  const pools = await bench.liquidity.findPools(bench.chain, weth, usdc, [version])
  return pools.find(({ fee }) => version === 'v2' || fee === 500)!.sqrtPriceX96
}

/** Lets somebody sell until the price is so many basis points off, to a few percent of that. */
async function move(version: Version, sold: 'WETH' | 'USDC', bps: number): Promise<void> {
  const [base, quote] = await Promise.all([other.token('WETH'), other.token('USDC')])
  const [tokenIn, tokenOut] = sold === 'WETH' ? [base, quote] : [quote, base]
  const from = await sqrtPriceOf(version)
  const movedBps = async () =>
    Math.abs(Number(((await sqrtPriceOf(version)) ** 2n * 10n ** 9n) / from ** 2n) / 1e5 - 1e4)
  let weth = 0.5
  for (let round = 0, moved = 0; round < 12 && moved < bps * 0.98; round += 1) {
    const amount = parseAmount((sold === 'WETH' ? weth : weth * 3000).toFixed(6), tokenIn.decimals)
    await benchTrade(other, version, tokenIn, tokenOut, amount, version === 'v2' ? undefined : 500)
    const now = await movedBps()
    weth *= Math.min(20, (bps - now) / (now - moved))
    moved = now
  }
}

/** How far a price may go on a plan of 100 basis points: v3 fixes the amounts, which makes it half of that. */
const further = { v2: 85, v3: 45, v4: 85 } as const
const rows = (['v2', 'v3', 'v4'] as const).flatMap((version) =>
  (['WETH', 'USDC'] as const).map((sold) => [version, sold] as const),
)

describe.each(rows)('a deposit that is carried out on %s after sales of %s', (version, sold) => {
  it('deposits into the same ticks, no more than planned, at the present price', async () => {
    const planned = await plan(version)
    await move(version, sold, 30)
    const again = await plan(version, { kept: keptOf(planned) })
    const [before, now] = [planned.deposits![0]!, again.deposits![0]!]
    expect([now.tickLower, now.tickUpper]).toEqual([before.tickLower, before.tickUpper])
    expect(now.sqrtPriceX96).not.toBe(before.sqrtPriceX96)
    expect(now.liquidity >= before.minLiquidity).toBe(true)
    for (const { token, amount } of again.spends) {
      expect(amount <= planned.spends.find((one) => one.token === token)!.amount).toBe(true)
    }
    await bench.run(again)
  })

  it('holds the price bounds of the plan in its calldata, whatever the present price allows', async () => {
    const range = version === 'v2' ? null : 'full'
    const planned = await plan(version, { range })
    await move(version, sold, 30)
    const again = await plan(version, { range, kept: keptOf(planned) })
    const anew = await plan(version, { range })
    await move(version, sold, further[version])
    await expect(bench.run(again)).rejects.toThrow(/revert|Price slippage check|INSUFFICIENT/)
    await bench.run(anew)
  })

  it('is refused beyond the slippage, with the prices that were planned and are', async () => {
    const planned = await plan(version)
    await move(version, sold, 110)
    const failure: unknown = await plan(version, { kept: keptOf(planned) }).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ planned: expect.stringMatching(/^3\d\d\d|^2\d\d\d/), now: expect.any(String), slippageBps: 100 }],
    })
  })
})

it.each(['v3', 'v4'] as const)('on %s is refused where the price has crossed an end of the range', async (version) => {
  const { deposits } = await plan(version)
  const price = Number(deposits![0]!.sqrtPriceX96) ** 2 / 2 ** 192
  const whole = deposits![0]!.isInverted ? 1e12 / price : price * 1e12
  const range = { priceLower: whole * 1.002, priceUpper: whole * 1.1 }
  const planned = await plan(version, { range, amount1: 0n })
  await move(version, 'USDC', 50)
  const failure: unknown = await plan(version, { range, amount1: 0n, kept: keptOf(planned) }).catch(
    (error: unknown) => error,
  )
  expect(failure).toMatchObject({
    code: 'SIMULATION_DRIFT',
    details: [{ message: 'The price has crossed an end of the range.', now: 'within' }],
  })
})

it('of another pool is refused', async () => {
  const kept = keptOf(await plan('v3'))
  await expect(plan('v3', { kept, fee: 3000 })).rejects.toMatchObject({
    code: 'SIMULATION_DRIFT',
    details: [{ message: 'Differs: pool.' }],
  })
})

const swaps = [
  ['v2', 'WETH'],
  ['v2', 'ETH'],
  ['v3', 'WETH'],
  ['v3', 'ETH'],
  ['v4', 'WETH'],
] as const

/** A sale of USDC for what WETH brings, at 1 % of slippage; of a plan that is carried out with what that says. */
async function planSale(version: Version, bought: string, kept?: Intent): Promise<Intent> {
  const [tokenIn, tokenOut] = await Promise.all([bench.token('USDC'), bench.token(bought)])
  const fee = version === 'v2' ? undefined : 500
  const quote = await benchQuote(bench, version, [tokenIn, tokenOut], parseAmount('300', 6), fee)
  const terms = { slippageBps: 100, deadline: bench.deadline, recipient: bench.address }
  const request = { tokenIn, tokenOut, ...terms, keptReceipts: kept?.receives }
  return (await bench.liquidity.planSwap(bench.chain, quote, request)).intent
}

describe.each(swaps)('G13: a sale on %s for %s that is carried out', (version, bought) => {
  it('asks the block for no less than the plan said, whatever the present price allows', async () => {
    const planned = await planSale(version, bought)
    await move(version, 'USDC', 60)
    const [again, anew] = await Promise.all([planSale(version, bought, planned), planSale(version, bought)])
    expect(again.receives).toEqual(planned.receives)
    expect(anew.receives[0]!.amount).toBeLessThan(planned.receives[0]!.amount)
    await move(version, 'USDC', 60)
    await expect(bench.run(again)).rejects.toThrow(/revert|Too little received|INSUFFICIENT/)
    await bench.run(anew)
  })

  it('takes the higher minimum of a price that has risen', async () => {
    const planned = await planSale(version, bought)
    await move(version, 'WETH', 60)
    const again = await planSale(version, bought, planned)
    expect(again.receives[0]!.amount).toBeGreaterThan(planned.receives[0]!.amount)
    await bench.run(again)
  })

  it('is refused where the pool gives less', async () => {
    const planned = await planSale(version, bought)
    await move(version, 'USDC', 150)
    const { token, amount } = planned.receives[0]!
    await expect(planSale(version, bought, planned)).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ message: 'Less would arrive than the plan says.', token, planned: `${amount}` }],
    })
  })
})

/** Takes the newest position, or the share of the pair, out at 1 % of slippage. */
async function planRemoval(version: Version, kept?: Intent): Promise<Intent> {
  const { items } = await bench.liquidity.positionsByOwner(bench.chain, bench.address, [version])
  const terms = { slippageBps: 100, deadline: bench.deadline, recipient: bench.address }
  const request = { percentage: 50, collectFees: true, ...terms, keptReceipts: kept?.receives }
  return (await bench.liquidity.planRemove(bench.chain, items.at(-1)!, request)).intent
}

describe.each(rows)('G13: a removal that is carried out on %s after sales of %s', (version, sold) => {
  it('asks the block for no less of either token than the plan said, and is refused where the pool gives less', async () => {
    await bench.run(await plan(version, { range: version === 'v2' ? null : 'full' }))
    const planned = await planRemoval(version)
    await move(version, sold, 60)
    const [again, anew] = await Promise.all([planRemoval(version, planned), planRemoval(version)])
    for (const { token, amount } of planned.receives) {
      expect(again.receives.find((one) => one.token === token)!.amount).toBeGreaterThanOrEqual(amount)
    }
    await move(version, sold, further[version])
    await move(version, sold, further[version])
    await expect(bench.run(again)).rejects.toThrow(/revert|Price slippage check|INSUFFICIENT/)
    await expect(planRemoval(version, planned)).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ message: 'Less would arrive than the plan says.' }],
    })
    expect(anew.receives).not.toEqual(again.receives)
  })
})
