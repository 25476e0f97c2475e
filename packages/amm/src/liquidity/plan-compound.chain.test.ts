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

  it('adds what the preview says out of the fees, and nothing of the wallet', async () => {
    const position = await market.open(version, base())
    const planned = await market.compound(position)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    expect(changes).toEqual([position.fees0 - outcome.amount0, position.fees1 - outcome.amount1])
    expect(changes.every((change) => change >= 0n)).toBe(true)
    expect(result.transactions.filter(({ label }) => label === 'compound fees')).toHaveLength(1)
    const after = await market.read(version, position.positionId)
    expect(after).toMatchObject({ liquidity: position.liquidity + outcome.liquidity, fees0: 0n, fees1: 0n })
  })

  it('takes nothing of the wallet where the price has moved either way', async () => {
    for (const tokenIn of [base(), market.usdc]) {
      const position = await market.open(version, base())
      const planned = await market.compound(position)
      await market.trade(version, base(), [tokenIn], 5n)
      const { changes } = await market.bench.changes(market.sides(position), () => market.bench.run(planned.intent))
      expect(changes.every((change) => change >= 0n)).toBe(true)
    }
  })

  it('swaps what is too much of one side where the wallet has an atomic route, and adds both', async () => {
    const position = await market.open(version, base(), [base()])
    const planned = await market.compound(position, { swapToRatio: true, atomicRoute: async () => 'batch-7702' })
    expect(planned.intent).toMatchObject({ atomicity: 'batch-7702', spends: [], receives: [] })
    expect(planned.intent.calls.map(({ label }) => label)).toEqual(['collect fees', 'swap', 'add fees'])
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome.swapped).toMatchObject({ amountIn: planned.preview.swapped!.amountIn })
    expect(outcome.liquidity).toBeGreaterThan(0n)
    expect(changes.every((change) => change >= 0n)).toBe(true)
    const after = await market.read(version, position.positionId)
    expect(after.liquidity).toBe(position.liquidity + outcome.liquidity)
    // Little is left over: the slippage that the deposit leaves room for.
    const [in0, in1] = [position.fees0 - outcome.amount0, position.fees1 - outcome.amount1]
    expect([in0 > 0n, in1 > 0n]).toContain(true)
  })

  it('refuses fees of one token alone, and none', async () => {
    const none = await market.open(version, base(), [])
    await expect(market.compound(none)).rejects.toMatchObject({ code: 'NOTHING_TO_COLLECT' })
    const oneSided = await market.open(version, base(), [base()])
    // Without a swap one token alone buys nothing, so that is not what to call.
    const unavailable = {
      code: 'ATOMIC_EXECUTION_UNAVAILABLE',
      suggestion: expect.stringMatching(/^Take .*collect_fees/),
    }
    await expect(market.compound(oneSided, { swapToRatio: true })).rejects.toMatchObject(unavailable)
    await expect(market.compound(oneSided)).rejects.toMatchObject({
      code: 'AMOUNT_TOO_SMALL',
      details: [
        {
          waits: expect.arrayContaining([
            expect.stringMatching(/^0\.0*[1-9]\d* \S+$/),
            expect.stringMatching(/^0 \S+$/),
          ]),
        },
      ],
    })
  })
})
