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

  it('pays out exactly the fees, and the outcome is what the wallet sees', async () => {
    const position = await market.open(version, base())
    const planned = await market.collect(position)
    expect(planned.preview).toEqual({ fees0: position.fees0, fees1: position.fees1 })
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.fees0, outcome.fees1])
    expect(outcome).toEqual(planned.preview)
    expect(outcome.fees0 > 0n && outcome.fees1 > 0n).toBe(true)
    expect(await market.read(version, position.positionId)).toMatchObject({
      liquidity: position.liquidity,
      fees0: 0n,
      fees1: 0n,
    })
  })

  it('counts the fees of trades between plan and block', async () => {
    const position = await market.open(version, base())
    const planned = await market.collect(position)
    await market.trade(version, base(), [market.usdc, base()])
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.fees0, outcome.fees1])
    expect(outcome.fees0 > planned.preview.fees0 && outcome.fees1 > planned.preview.fees1).toBe(true)
  })

  it('refuses where there is nothing', async () => {
    const position = await market.open(version, base(), [])
    await expect(market.collect(position)).rejects.toMatchObject({
      code: 'NOTHING_TO_COLLECT',
    })
  })
})
