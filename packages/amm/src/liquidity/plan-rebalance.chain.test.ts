import { useDevnet } from '@svc/devnet/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { openMarket, places } from './planning/bench-market.fixture.ts'

const devnet = useDevnet()
let market: Awaited<ReturnType<typeof openMarket>>

beforeEach(async () => {
  market = await openMarket(devnet())
})

describe.each(places)('$version $base', ({ version, base: symbol }) => {
  const base = () => market[symbol]

  it('moves into another range in one transaction, and takes nothing of the wallet', async () => {
    const position = await market.open(version, base())
    const planned = await market.rebalance(position, { range: { pctEachSide: 20 }, swapToRatio: false })
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const { closed, opened, swapped } = await planned.decode(result)
    expect(swapped).toBe(null)
    expect(closed).toEqual({ ...planned.preview.closed, hash: result.main.hash })
    const { liquidity, amount0, amount1 } = planned.preview.opened
    expect(opened).toMatchObject({ liquidity, amount0, amount1, hash: result.main.hash })
    expect(changes).toEqual([
      closed.amount0 + closed.fees0 - opened.amount0,
      closed.amount1 + closed.fees1 - opened.amount1,
    ])
    expect(changes.every((change) => change >= 0n)).toBe(true)
    const after = await market.read(version, opened.positionId)
    expect(after).toMatchObject({ liquidity, tickLower: planned.preview.opened.tickLower })
    expect(await market.read(version, position.positionId)).toMatchObject({ liquidity: 0n, fees0: 0n, fees1: 0n })
  })

  it('deposits nearly all of a narrow position into the full range, and takes nothing of the wallet when the price moves', async () => {
    for (const tokenIn of [base(), market.usdc]) {
      const position = await market.open(version, base())
      const planned = await market.rebalance(position, { range: 'full', swapToRatio: false })
      await market.trade(version, base(), [tokenIn], 10n)
      const { changes } = await market.bench.changes(market.sides(position), () => market.bench.run(planned.intent))
      expect(changes.every((change) => change >= 0n)).toBe(true)
    }
  })

  it('closes, swaps and opens where the range lies elsewhere', async () => {
    const position = await market.open(version, base())
    const { currentPrice } = (await market.rebalance(position)).preview.opened
    const range = { priceLower: currentPrice * 0.9, priceUpper: currentPrice * 1.02 }
    const planned = await market.rebalance(position, { range })
    expect(planned.preview.swap).not.toBe(null)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const { closed, opened, swapped } = await planned.decode(result)
    expect(new Set([closed.hash, opened.hash]).size).toBe(2)
    expect(swapped?.amountIn).toBe(planned.preview.swap?.amountIn)
    expect(changes.every((change) => change >= 0n)).toBe(true)
    const after = await market.read(version, opened.positionId)
    expect(after.liquidity).toBe(opened.liquidity)
    // What is left is less than the slippage of what was swapped.
    const worth = (amounts: { amount0: bigint; amount1: bigint }) =>
      Number((amounts.amount0 * position.pool.sqrtPriceX96 ** 2n) / 2n ** 192n + amounts.amount1)
    const left = worth({ amount0: changes[0]!, amount1: changes[1]! })
    expect(left / worth(position)).toBeLessThan(version === 'v3' ? 0.01 : 0.04)
  })

  it('refuses without a swap what needs one, and a position that is closed', async () => {
    const position = await market.open(version, base())
    const { currentPrice } = (await market.rebalance(position)).preview.opened
    const range = { priceLower: currentPrice * 1.1, priceUpper: currentPrice * 1.2 }
    const planned = await market.rebalance(position, { range, swapToRatio: false })
    expect(planned.preview.opened.amount1).toBe(0n)
    await market.bench.run((await market.remove(position)).intent)
    const closed = await market.read(version, position.positionId)
    await expect(market.rebalance(closed)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ message: expect.stringMatching(/^Position \d+ is closed/) }],
    })
  })
})
