import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { concat, numberToHex, padHex, pad, slice, zeroHash, type Hex, type Log } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Settled } from '../../intent.ts'
import { openMarket } from '../planning/bench-market.fixture.ts'

const devnet = useDevnet()
let market: Awaited<ReturnType<typeof openMarket>>

beforeEach(async () => {
  market = await openMarket(devnet())
})

const foreignId = 987_654n

/** The same receipt as if a hook had first minted to and changed another position of the pool in the same call. */
function disturbed(settled: Settled): Settled {
  const { poolManager, positionManager } = market.bench.chain.amm.v4!
  const from = (emitter: Hex) => settled.main.logs.filter((log) => log.address.toLowerCase() === emitter.toLowerCase())
  const changed = from(poolManager).filter((log) => log.data.length === 2 + 4 * 64)
  expect(changed).toHaveLength(1)
  // The data of ModifyLiquidity: tickLower, tickUpper, liquidityDelta, salt.
  const data = concat([
    slice(changed[0]!.data, 0, 64),
    numberToHex(5n, { size: 32 }),
    numberToHex(foreignId, { size: 32 }),
  ])
  const foreign: Log[] = [
    { ...changed[0]!, data },
    {
      ...changed[0]!,
      address: positionManager,
      topics: [transferTopic, zeroHash, pad(market.bench.address), padHex(numberToHex(foreignId), { size: 32 })],
      data: '0x',
    },
  ]
  return { ...settled, main: { ...settled.main, logs: [...foreign, ...settled.main.logs] } }
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

describe('what a change of a v4 position moved', () => {
  it.each(['weth', 'eth'] as const)('is not mistaken for what a hook did beside it, %s', async (base) => {
    const { bench, usdc } = market
    const planned = await bench.liquidity.planAdd(bench.chain, {
      version: 'v4',
      token0: market[base],
      token1: usdc,
      fee: 500,
      hooks: null,
      amount0: parseAmount('3', 18),
      amount1: null,
      range: { pctEachSide: 15 },
      slippageBps: 50,
      deadline: bench.deadline,
      recipient: bench.address,
    })
    const opened = await bench.run(planned.intent)
    const added = await planned.decode(opened)
    expect(await planned.decode(disturbed(opened))).toEqual(added)
    const read = () => market.read('v4', added.positionId)

    await market.trade('v4', market[base], [market[base], usdc])
    const position = await read()
    for (const plan of [
      async () => market.increase(position, market.some(position), null),
      async () => {
        await market.trade('v4', market[base], [market[base]])
        return market.collect(await read())
      },
      async () => market.remove(await read()),
    ]) {
      const next = await plan()
      const settled = await bench.run(next.intent)
      const outcome: unknown = await next.decode(settled)
      expect(await next.decode(disturbed(settled))).toEqual(outcome)
    }
  })
})
