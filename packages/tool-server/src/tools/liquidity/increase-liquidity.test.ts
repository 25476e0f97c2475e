import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Intent, Position, Settled } from '@svc/amm'
import type { Liquidity } from '../../../../amm/src/ports.ts'
import type { WriteContext } from '../../tool-context.ts'
import { describeRefusals, untouchedWorld } from '../refusals.fixture.ts'
import { increaseLiquidity } from './add-liquidity.ts'

describeRefusals(
  increaseLiquidity,
  { positionId: '12', amount0: '1', chain: 'base' },
  {
    positionId: 'positionId',
    token0: 'token',
    amount0: 'amountForm',
    amount1: 'amountForm',
    chain: 'chain',
    version: 'rangedVersion',
    payNative: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)

const minedAt = 101n
const stale = expect.stringContaining('could not be read after the transaction')

/** A position, of 10^15 liquidity unless told, whose later reads are the test's. */
async function increaseWith(readAfter: (before: Position) => Promise<Position>, heldLiquidity = 10n ** 15n) {
  const world = untouchedWorld()
  const chain = world.chains.get('base')
  const [token0, token1] = await Promise.all(
    ['WETH', 'USDC'].map((symbol) => world.tokens.resolve(chain, symbol, 'token')),
  )
  const before: Position = {
    version: 'v3',
    positionId: '12',
    owner: world.wallet.address,
    pool: {
      version: 'v3',
      id: '0x2222222222222222222222222222222222222222',
      token0: token0!,
      token1: token1!,
      fee: 500,
      tickSpacing: 10,
      hooks: null,
      sqrtPriceX96: getSqrtPriceAtTick(5),
      tick: 5,
      liquidity: 10n ** 20n,
      reserve0: null,
      reserve1: null,
      feeGrowthGlobal0X128: 0n,
      feeGrowthGlobal1X128: 0n,
      protocolFee: 0,
      blockNumber: 100n,
    },
    tickLower: -1000,
    tickUpper: 1000,
    liquidity: heldLiquidity,
    amount0: 1n,
    amount1: 1n,
    fees0: 0n,
    fees1: 0n,
  }
  const main = { label: 'increase', hash: zeroHash, blockNumber: minedAt, logs: [], gasUsed: 1n }
  const settled: Settled = {
    transactions: [main],
    main,
    calls: [main],
    deltas: [],
    gasCostWei: 1n,
    gasCostUsd: null,
    gasOfBatch: null,
    safetyChecks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
    priceImpactBps: null,
    warnings: [],
  }
  const outcome = { liquidity: 10n ** 14n, amount0: 7n, amount1: 8n }
  let reads = 0
  const liquidity: Partial<Liquidity> = {
    position: async () => (reads++ === 0 ? before : readAfter(before)),
    planIncrease: async () => ({
      intent: { atomicity: 'single' } as Intent,
      preview: outcome,
      decode: async () => outcome,
    }),
  }
  const context: WriteContext = {
    ...world,
    liquidity: liquidity as Liquidity,
    prices: { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const },
    execute: async (_intent, shape) => shape(settled),
  }
  const input = increaseLiquidity.input.parse({ positionId: '12', amount0: '1', chain: 'base' })
  const answer = increaseLiquidity.output.parse(await increaseLiquidity.handle(input, context))
  const known = getAmountsForLiquidity(
    before.pool.sqrtPriceX96,
    getSqrtPriceAtTick(before.tickLower),
    getSqrtPriceAtTick(before.tickUpper),
    before.liquidity + outcome.liquidity,
    false,
  )
  return { answer, known }
}

const at = (position: Position, blockNumber: bigint): Position => ({
  ...position,
  pool: { ...position.pool, blockNumber },
  amount0: 5n * 10n ** 18n,
  amount1: 6n * 10n ** 6n,
})

describe('newTotal members of increase_liquidity', () => {
  test('are the position as it stands once the call is mined', async () => {
    const { answer } = await increaseWith(async (before) => at(before, minedAt))
    expect(answer).toMatchObject({ newTotalAmount0: '5', newTotalAmount1: '6' })
    expect(answer).not.toMatchObject({ notes: expect.arrayContaining([stale]) })
  })

  test.each([
    ['cannot be read', async () => Promise.reject(new Error('no answer'))],
    ['is answered from before the call', async (before: Position) => at(before, minedAt - 1n)],
  ])('are what was known before plus what was added, with a note, when the position %s', async (_name, readAfter) => {
    const { answer, known } = await increaseWith(readAfter)
    const { newTotalAmount0, newTotalAmount1 } = answer as { newTotalAmount0: string; newTotalAmount1: string }
    expect([newTotalAmount0, newTotalAmount1].map(Number)).toEqual([
      Number(known.amount0) / 1e18,
      Number(known.amount1) / 1e6,
    ])
    expect(answer).toMatchObject({ notes: expect.arrayContaining([stale]) })
  })
})

test('increase_liquidity says that it fills a position again which held nothing', async () => {
  const filled = async (before: Position) => at(before, minedAt)
  const again = expect.stringContaining('is open again, in the range it was opened with')
  expect((await increaseWith(filled, 0n)).answer).toMatchObject({ notes: expect.arrayContaining([again]) })
  expect((await increaseWith(filled)).answer).not.toMatchObject({ notes: expect.arrayContaining([again]) })
})
