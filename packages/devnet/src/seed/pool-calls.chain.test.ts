import { parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { connect } from '../chain/chain-client.ts'
import { createLayout } from './layout.ts'
import { readPool } from '../read-pool.fixture.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())

test('WETH/USDC exists in all four v3 tiers, in v2, and in v4 beside a native one', () => {
  const labels = devnet()
    .pools.filter((pool) => /^W?ETH\/USDC/.test(pool.label))
    .map((pool) => `${pool.version} ${pool.label}`)
  expect(labels).toEqual([
    'v3 WETH/USDC 0.01 %',
    'v3 WETH/USDC 0.05 %',
    'v3 WETH/USDC 0.3 %',
    'v3 WETH/USDC 1 %',
    'v2 WETH/USDC 0.3 %',
    'v4 WETH/USDC 0.05 %',
    'v4 ETH/USDC 0.05 %',
  ])
})

test('say the tick spacing that the pool has', async () => {
  const abi = parseAbi(['function tickSpacing() view returns (int24)'])
  for (const { id, tickSpacing } of devnet().pools.filter(({ version }) => version === 'v3')) {
    expect(await client().readContract({ address: id, abi, functionName: 'tickSpacing' })).toBe(tickSpacing)
  }
})

test('all hold liquidity, and those of a pair agree on the price within 1 %', async () => {
  const byPair = new Map<string, number[]>()
  for (const pool of layout.pools) {
    const { price, liquidity } = await readPool(client(), layout, pool)
    const pair = `${pool.base}/${pool.quote}`.replace(/^ETH/, 'WETH')
    expect({ pair, liquid: liquidity > 0n }).toEqual({ pair, liquid: true })
    byPair.set(pair, [...(byPair.get(pair) ?? []), price])
  }
  const spread = (prices: readonly number[]) => Math.max(...prices) / Math.min(...prices)
  expect([...byPair].filter(([, prices]) => spread(prices) >= 1.01)).toEqual([])
  expect(byPair.get('WETH/USDC')![0]).toBeCloseTo(3_000, 0)
})

test('the v3 oracles know the last half hour', async () => {
  for (const pool of layout.pools.filter(({ version }) => version === 'v3')) {
    const [ticks] = await client().readContract({
      address: pool.id,
      abi: parseAbi(['function observe(uint32[]) view returns (int56[], uint160[])']),
      functionName: 'observe',
      args: [[1_800, 0]],
    })
    expect(ticks).toHaveLength(2)
    const slot0 = await client().readContract({
      address: pool.id,
      abi: parseAbi(['function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)']),
      functionName: 'slot0',
    })
    expect(slot0[4]).toBeGreaterThanOrEqual(100)
  }
})
