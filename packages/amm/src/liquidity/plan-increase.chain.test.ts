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

  it('adds what the preview says, and the outcome is what the position gained', async () => {
    const position = await market.open(version, base(), [])
    const planned = await market.increase(position, market.some(position), null)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    expect(changes).toEqual([-outcome.amount0, -outcome.amount1])
    const after = await market.read(version, position.positionId)
    expect(after.liquidity).toBe(position.liquidity + outcome.liquidity)
  })

  it('leaves v3 fees owed and lets v4 fees pay part of it', async () => {
    const position = await market.open(version, base())
    const planned = await market.increase(position, market.some(position), null, { slippageBps: 0 })
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    const paid = version === 'v4' ? [position.fees0, position.fees1] : [0n, 0n]
    expect(changes).toEqual([paid[0]! - outcome.amount0, paid[1]! - outcome.amount1])
    const { token0, token1 } = position.pool
    expect(planned.intent.spends).toEqual([
      { token: token0.address, amount: -changes[0]! },
      { token: token1.address, amount: -changes[1]! },
    ])
    const after = await market.read(version, position.positionId)
    expect(after).toMatchObject(
      version === 'v4' ? { fees0: 0n, fees1: 0n } : { fees0: position.fees0, fees1: position.fees1 },
    )
  })

  it('pays out what fees exceed the need', async () => {
    const position = await market.open(version, base())
    const planned = await market.increase(position, position.fees0 / 100n, null)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    const paid = version === 'v4' ? [position.fees0, position.fees1] : [0n, 0n]
    expect(changes).toEqual([paid[0]! - outcome.amount0, paid[1]! - outcome.amount1])
    expect(changes[0]! > 0n).toBe(version === 'v4')
    expect(planned.intent.receives.length > 0).toBe(version === 'v4')
  })

  it('declares what may leave at most, and refuses on chain to take more', async () => {
    const position = await market.open(version, base(), [])
    const amount0 = market.some(position)
    const planned = await market.increase(position, amount0, null, { slippageBps: 10 })
    for (let round = 0; round < 5; round += 1) await market.trade(version, base(), [base()])
    await expect(market.bench.run(planned.intent)).rejects.toThrow(/revert|Price slippage check/)
  })

  it('names the amount that the range does not take', async () => {
    const position = await market.open(version, base(), [])
    const { pool, tickUpper, tickLower } = position
    const above = { ...position, tickLower: tickLower - 6000, tickUpper: tickUpper - 6000 }
    await expect(market.increase(above, 1000n, 1000n)).rejects.toMatchObject({ details: [{ field: 'amount0' }] })
    const below = { ...position, tickLower: tickLower + 6000, tickUpper: tickUpper + 6000 }
    await expect(market.increase(below, 1000n, 1000n)).rejects.toMatchObject({ details: [{ field: 'amount1' }] })
    expect(pool.version).toBe(version)
  })
})

it('pays the wrapped side of a v3 pool natively when asked to, and sends back what is left over', async () => {
  const { eth, weth, usdc, bench } = market
  const position = await market.open('v3', weth, [])
  const planned = await market.increase(position, market.some(position), null, { payNative: true, slippageBps: 500 })
  await market.trade('v3', weth, [usdc, usdc])
  const { result, changes } = await bench.changes([eth, weth, usdc], () => bench.run(planned.intent))
  const outcome = await planned.decode(result)
  const isFirst = position.pool.token0.address === weth.address
  const [inWeth, inUsdc] = isFirst ? [outcome.amount0, outcome.amount1] : [outcome.amount1, outcome.amount0]
  expect(changes).toEqual([-inWeth, 0n, -inUsdc])
  expect(planned.intent.calls[0]!.valueWei > inWeth).toBe(true)
})

it('refuses to pay natively where no side takes it', async () => {
  const position = await market.open('v4', market.weth, [])
  const refusal = { code: 'VALIDATION_FAILED', details: [{ field: 'payNative' }] }
  await expect(market.increase(position, 1_000_000n, null, { payNative: true })).rejects.toMatchObject(refusal)
})
