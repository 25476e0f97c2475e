import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pool, Position } from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import { createChainActor, v3PathOf, type ChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>
let owner: ChainActor
let trader: ChainActor

beforeEach(async () => {
  bench = createReadsBench(devnet())
  const [first, second] = devnet().accounts
  owner = await createChainActor(devnet(), first!.address)
  trader = await createChainActor(devnet(), second!.address)
})

describe('v3 positions', () => {
  it('owe the fees that collecting pays, to the unit, and hold what removing pays', async () => {
    const pool = await poolOf('v3', 500)
    const id = await mintV3(pool, 600, 300)
    await tradeV3(pool)
    const position = await bench.reads.position(bench.chain, 'v3', id.toString())
    expect(position).toMatchObject({ version: 'v3', positionId: id.toString(), owner: owner.address })
    expect(position.fees0).toBeGreaterThan(0n)
    expect(position.fees1).toBeGreaterThan(0n)
    await expectCollected(position, () => owner.collectV3(id))
    await owner.decreaseV3(id, position.liquidity)
    const closed = await bench.reads.position(bench.chain, 'v3', id.toString())
    expect(closed).toMatchObject({ liquidity: 0n, amount0: 0n, amount1: 0n })
    expect([closed.fees0, closed.fees1]).toEqual([position.amount0, position.amount1])
    await expectCollected(closed, () => owner.collectV3(id))
  })

  it('share an account with the pool, whose roundings may leave less than the manager owes', async () => {
    const pool = await poolOf('v3', 3_000)
    const patient = await mintV3(pool, 1_200, 1_200)
    // Too small to earn a unit, it only makes the pool settle, and round down, again and again.
    const restless = await mintV3(pool, 1_200, 1_200, 2_000_000n)
    for (let round = 0; round < 8; round += 1) {
      await tradeV3(pool)
      await owner.collectV3(restless)
    }
    const position = await bench.reads.position(bench.chain, 'v3', patient.toString())
    await expectCollected(position, () => owner.collectV3(patient))
  })

  it('without liquidity are paid from what the pool has settled already', async () => {
    const pool = await poolOf('v3', 3_000)
    const patient = await mintV3(pool, 1_200, 1_200)
    const restless = await mintV3(pool, 1_200, 1_200, 2_000_000n)
    for (let round = 0; round < 8; round += 1) {
      await tradeV3(pool)
      await owner.collectV3(restless)
    }
    const { liquidity } = await bench.reads.position(bench.chain, 'v3', patient.toString())
    const neighbour = await mintV3(pool, 1_200, 1_200)
    await owner.decreaseV3(patient, liquidity)
    await tradeV3(pool)
    const left = await bench.reads.position(bench.chain, 'v3', patient.toString())
    expect(left.liquidity).toBe(0n)
    await expectCollected(left, () => owner.collectV3(patient))
    const other = await bench.reads.position(bench.chain, 'v3', neighbour.toString())
    await expectCollected(other, () => owner.collectV3(neighbour))
  })

  it('out of range on either side hold one token', async () => {
    const pool = await poolOf('v3', 500)
    const [above, below] = [await mintV3(pool, -200, 900), await mintV3(pool, 900, -200)]
    const over = await bench.reads.position(bench.chain, 'v3', above.toString())
    const under = await bench.reads.position(bench.chain, 'v3', below.toString())
    expect([over.amount1, over.amount0 > 0n]).toEqual([0n, true])
    expect([under.amount0, under.amount1 > 0n]).toEqual([0n, true])
  })

  it('are unknown once burnt, and before they exist', async () => {
    const pool = await poolOf('v3', 500)
    const id = await mintV3(pool, 600, 300)
    const { liquidity } = await bench.reads.position(bench.chain, 'v3', id.toString())
    await owner.decreaseV3(id, liquidity)
    await owner.collectV3(id)
    await owner.write(bench.chain.amm.v3!.positionManager, v3PositionManagerAbi, 'burn', [id])
    for (const unknown of [id, id + 1n, 0n, 2n ** 256n - 1n]) {
      await expect(bench.reads.position(bench.chain, 'v3', unknown.toString())).rejects.toMatchObject({
        code: 'POSITION_NOT_FOUND',
      })
    }
  })
})

describe('v4 positions', () => {
  it.each(['WETH', 'ETH'])('over %s owe the fees that collecting pays, to the unit', async (symbol) => {
    const pool = await v4PoolOf(symbol)
    const key = poolKeyOf(pool)
    const base = Math.floor(pool.tick / 10) * 10
    const id = await owner.mintV4(key, base - 600, base + 600, pool.liquidity / 1_000n)
    const usdcIs0 = pool.token0.symbol === 'USDC'
    await trader.swapV4(key, usdcIs0, parseUnits('6000', 6))
    await trader.swapV4(key, !usdcIs0, parseUnits('3', 18))
    const position = await bench.reads.position(bench.chain, 'v4', id.toString())
    expect(position).toMatchObject({ version: 'v4', owner: owner.address, liquidity: pool.liquidity / 1_000n })
    expect(position.fees0).toBeGreaterThan(0n)
    expect(position.fees1).toBeGreaterThan(0n)
    await expectCollected(position, () => owner.collectV4(key, id))
    await expect(bench.reads.position(bench.chain, 'v4', id.toString())).resolves.toMatchObject({
      fees0: 0n,
      fees1: 0n,
    })
  })

  it('are unknown before they exist', async () => {
    await expect(bench.reads.position(bench.chain, 'v4', '999999')).rejects.toMatchObject({
      code: 'POSITION_NOT_FOUND',
    })
  })
})

describe.each(['v3', 'v4'] as const)('a %s position', (version) => {
  it('takes two exchanges, in the second of which travels what is begun alongside, and one where it was read before', async () => {
    const id = version === 'v3' ? await mintV3(await poolOf('v3', 500), 600, 300) : await mintV4()
    let exchanges = 0
    const counting = createReadsBench(devnet(), () => {
      exchanges += 1
      return null
    })
    const { chain, rpc, reads } = counting
    const symbols: string[] = []
    const position = await reads.position(chain, version, `${id}`, {
      alongside: (tokens, at) => {
        symbols.push(...tokens.map(({ symbol }) => symbol))
        void rpc.client(chain).getBalance({ address: owner.address, blockNumber: at.number })
      },
    })
    expect([symbols.toSorted(), exchanges]).toEqual([['USDC', 'WETH'], 2])
    expect(await reads.position(chain, version, `${id}`, { before: position })).toEqual(position)
    expect(exchanges).toBe(3)
    const elsewhere = { ...position, tickLower: position.tickLower - 600 }
    expect(await reads.position(chain, version, `${id}`, { before: elsewhere })).toEqual(position)
    expect(exchanges).toBe(5)
  })
})

/** What the owner's balances gain by an act, gas left out, against what the position said it owes. */
async function expectCollected(
  position: Position,
  collect: () => Promise<{ gasUsed: bigint; effectiveGasPrice: bigint }>,
) {
  const { token0, token1 } = position.pool
  const before = await Promise.all([owner.balanceOf(token0.address), owner.balanceOf(token1.address)])
  const { gasUsed, effectiveGasPrice } = await collect()
  const after = await Promise.all([owner.balanceOf(token0.address), owner.balanceOf(token1.address)])
  const gas = token0.address === zeroAddress ? gasUsed * effectiveGasPrice : 0n
  expect([after[0] - before[0] + gas, after[1] - before[1]]).toEqual([position.fees0, position.fees1])
}

async function poolOf(version: 'v3', fee: number): Promise<Pool> {
  const pools = await bench.reads.findPools(bench.chain, await bench.token('WETH'), await bench.token('USDC'), [
    version,
  ])
  return pools.find((pool) => pool.fee === fee)!
}

async function v4PoolOf(symbol: string): Promise<Pool> {
  const pools = await bench.reads.findPools(bench.chain, await bench.token(symbol), await bench.token('USDC'), ['v4'])
  return pools[0]!
}

/** A range that reaches `below` and `above` the present tick. */
async function mintV3(pool: Pool, below: number, above: number, parts = 1n): Promise<bigint> {
  const spacing = pool.tickSpacing!
  const base = Math.floor(pool.tick / spacing) * spacing
  return owner.mintV3({
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.fee,
    tickLower: base - below,
    tickUpper: base + above,
    amount0Desired: parseUnits('2', pool.token0.decimals) / parts,
    amount1Desired: parseUnits('2', pool.token1.decimals) / parts,
  })
}

async function mintV4(): Promise<bigint> {
  const pool = await v4PoolOf('WETH')
  const base = Math.floor(pool.tick / 10) * 10
  return owner.mintV4(poolKeyOf(pool), base - 600, base + 600, pool.liquidity / 1_000n)
}

async function tradeV3(pool: Pool): Promise<void> {
  const path = [pool.token0.address, pool.fee, pool.token1.address] as const
  const weth = bench.addressOf('WETH')
  const amounts = [pool.token0, pool.token1].map(({ address, decimals }) =>
    parseUnits(address === weth ? '1.234567' : '3703.701', decimals),
  )
  await trader.swapV3(v3PathOf(...path), amounts[0]!)
  await trader.swapV3(v3PathOf(...path.toReversed()), amounts[1]!)
}
