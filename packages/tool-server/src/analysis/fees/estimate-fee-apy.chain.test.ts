import { useDevnet } from '@svc/devnet/testing'
import { parseAbi, type Address } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../tools/chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const daySeconds = 86_400

/** Lets a week pass, with trades in one pool every so many hours. */
async function tradeForAWeek(pool: `0x${string}`): Promise<void> {
  const start = Number((await world.client.getBlock()).timestamp)
  const rounds = 28
  for (let round = 1; round <= rounds; round++) {
    await devnet().mineTo(start + Math.round((round * 7 * daySeconds) / (rounds + 1)))
    await devnet().trade(2, round, [pool])
  }
  await devnet().mineTo(start + 7 * daySeconds)
  world.clock.offsetMs = (start + 7 * daySeconds) * 1000 - Date.now()
}

/** Percent a year, out of the raw logs and reserves of a pair: 0.3 % of what came in, both sides at the pool's price. */
async function pairYieldPct(address: Address): Promise<number> {
  const [reserve0, reserve1] = await world.client.readContract({ address, abi: pairAbi, functionName: 'getReserves' })
  const price = Number(reserve1) / Number(reserve0)
  const swaps = await world.client.getLogs({ address, event: pairAbi[1], fromBlock: 0n, strict: true })
  const from = Date.now() / 1000 - 7 * daySeconds
  let paid = 0
  for (const { blockNumber, args } of swaps) {
    const { timestamp } = await world.client.getBlock({ blockNumber })
    if (Number(timestamp) >= from) paid += Number(args.amount0In) * price + Number(args.amount1In)
  }
  return ((paid * 0.003) / (2 * Number(reserve1))) * (365 / 7) * 100
}

const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])

describe('estimatedFeeApy7d', () => {
  test.each([
    ['v3', 'narrow'],
    ['v3', 'wide'],
    ['v4', 'medium'],
  ])('of a %s position, %s, is what one in that range earned in the week', async (version, rangeStrategy) => {
    const args = { token0: 'WETH', token1: 'USDC', fee: 500, version, amount0: '0.05' }
    const first = await world.call('add_liquidity', { ...args, rangeStrategy })
    const range = { priceLower: first.number('priceLower'), priceUpper: first.number('priceUpper') }
    await tradeForAWeek(first.text('pool.poolAddress') as `0x${string}`)
    const position = await world.call('get_position', { positionId: first.text('positionId'), version })
    const earned = (position.number('feesUsd') / position.number('valueUsd')) * (365 / 7) * 100
    const second = await world.call('add_liquidity', { ...args, ...range })
    expect(second.number('priceLower')).toBeCloseTo(range.priceLower, 6)
    expect(earned).toBeGreaterThan(0)
    // One swap of some 57 may lie on the other side of the window's begin, which moves on while this runs.
    expect(Math.abs(second.number('estimatedFeeApy7d') / earned - 1)).toBeLessThan(0.02)
  })

  test('of a v2 pair is what its logs of the week paid over its reserves', async () => {
    const args = { token0: 'WETH', token1: 'USDC', version: 'v2', amount0: '0.05' }
    const answer = await world.call('add_liquidity', args)
    const expected = await pairYieldPct(answer.text('pool.poolAddress') as Address)
    expect(expected).toBeGreaterThan(0)
    expect(Math.abs(answer.number('estimatedFeeApy7d') / expected - 1)).toBeLessThan(0.005)
  })

  test('is thinner the more liquidity shares it', async () => {
    const args = { token0: 'WETH', token1: 'USDC', fee: 10_000, rangeStrategy: 'narrow' }
    const little = await world.call('add_liquidity', { ...args, amount0: '0.01' })
    const much = await world.call('add_liquidity', { ...args, amount0: '7' })
    expect(much.number('estimatedFeeApy7d')).toBeLessThan(little.number('estimatedFeeApy7d') * 0.95)
  })

  test('out of range earns nothing', async () => {
    const { price } = (await world.call('get_token_price', { token: 'WETH', quote: 'USDC' })).data as { price: number }
    const args = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1', amount1: '0' }
    const far = await world.call('add_liquidity', { ...args, priceLower: price * 5, priceUpper: price * 6 })
    expect(far.number('estimatedFeeApy7d')).toBe(0)
  })
})
