import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, getAddress, http, zeroAddress, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { createChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolIdOf, poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
const impostor = getAddress('0x00000000000000000000000000000000000bad01')
const sqrtOne = 2n ** 96n
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('pool', () => {
  it('reads every pool of the chain as the chain describes it', async () => {
    for (const { version, id, token0, token1, fee, tickSpacing } of devnet().pools) {
      const pool = await bench.reads.pool(bench.chain, { version, id })
      expect(pool).toMatchObject({ version, id, fee, tickSpacing, hooks: null })
      expect([pool.token0.address, pool.token1.address]).toEqual([token0, token1])
      expect(pool.liquidity).toBeGreaterThan(0n)
      expect(pool.blockNumber).toBe((await bench.rpc.head(bench.chain)).number)
    }
  })

  it('agrees with the contracts member by member', async () => {
    const client = bench.rpc.client(bench.chain)
    const [v2, v3] = ['v2', 'v3'].map((version) => devnet().pools.find((pool) => pool.version === version)!)
    const pair = await bench.reads.pool(bench.chain, { version: 'v2', id: v2!.id })
    const reserves = await client.readContract({ address: v2!.id, abi: v2PairAbi, functionName: 'getReserves' })
    expect([pair.reserve0, pair.reserve1]).toEqual(reserves.slice(0, 2))
    expect(pair.liquidity ** 2n <= reserves[0] * reserves[1]).toBe(true)
    expect((pair.liquidity + 1n) ** 2n > reserves[0] * reserves[1]).toBe(true)
    expect(Number(pair.sqrtPriceX96) / 2 ** 96).toBeCloseTo(Math.sqrt(Number(reserves[1]) / Number(reserves[0])), 12)
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id: v3!.id })
    const slot0 = await client.readContract({ address: v3!.id, abi: v3PoolAbi, functionName: 'slot0' })
    expect([pool.sqrtPriceX96, pool.tick]).toEqual(slot0.slice(0, 2))
  })

  it('finds the key of a v4 pool that only the log of its creation tells', async () => {
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    const [currency0, currency1] = [bench.addressOf('USDC'), bench.addressOf('DAI')].toSorted((a, b) =>
      BigInt(a) < BigInt(b) ? -1 : 1,
    )
    const key = { currency0: currency0!, currency1: currency1!, fee: 1_234, tickSpacing: 7, hooks: zeroAddress }
    const id = await actor.initializeV4(key, sqrtOne)
    const pool = await bench.reads.pool(bench.chain, { version: 'v4', id })
    expect(poolKeyOf(pool)).toEqual(key)
    expect(pool).toMatchObject({ fee: 1_234, tickSpacing: 7, sqrtPriceX96: sqrtOne, liquidity: 0n })
  })

  it('finds a standard v4 pool of listed tokens without a log', async () => {
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    const key = {
      currency0: zeroAddress,
      currency1: bench.addressOf('DAI'),
      fee: 3_000,
      tickSpacing: 60,
      hooks: zeroAddress,
    }
    const id = await actor.initializeV4(key, sqrtOne)
    const blind = createReadsBench(devnet(), (body) => {
      expect(body).not.toContain('eth_getLogs')
      return null
    })
    await expect(blind.reads.pool(bench.chain, { version: 'v4', id })).resolves.toMatchObject({
      token0: { isNative: true },
    })
  })

  it.each(['v2', 'v3'] as const)('takes no %s contract for a pool that its factory did not create', async (version) => {
    const { id } = devnet().pools.find((pool) => pool.version === version)!
    await copyContract(id, impostor)
    const real = await bench.reads.pool(bench.chain, { version, id })
    expect(real.liquidity).toBeGreaterThan(0n)
    const client = bench.rpc.client(bench.chain)
    await expect(client.readContract({ address: impostor, abi: v3PoolAbi, functionName: 'token0' })).resolves.toBe(
      real.token0.address,
    )
    await expect(bench.reads.pool(bench.chain, { version, id: impostor })).rejects.toMatchObject({
      code: 'POOL_NOT_FOUND',
    })
  })

  it('says POOL_NOT_FOUND for ids that are no pool of the version', async () => {
    const v4 = devnet().pools.find((pool) => pool.version === 'v4')!.id
    const unknown = poolIdOf({
      currency0: zeroAddress,
      currency1: impostor,
      fee: 1,
      tickSpacing: 1,
      hooks: zeroAddress,
    })
    const token = bench.addressOf('USDC')
    for (const [version, id] of [
      ['v3', token],
      ['v2', token],
      ['v3', v4],
      ['v4', token],
      ['v4', unknown],
      ['v2', '0x'],
    ] as const) {
      await expect(bench.reads.pool(bench.chain, { version, id })).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' })
    }
  })

  it('says VERSION_NOT_DEPLOYED where it is not', async () => {
    const chain = { ...bench.chain, amm: {} }
    await expect(bench.reads.pool(chain, { version: 'v3', id: impostor })).rejects.toMatchObject({
      code: 'VERSION_NOT_DEPLOYED',
    })
  })
})

/** Code and the first slots of storage, where pools keep their tokens, price and reserves. */
async function copyContract(from: Hex, to: Hex): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  const reader = bench.rpc.client(bench.chain)
  await client.setCode({ address: to, bytecode: (await reader.getCode({ address: from }))! })
  for (let slot = 0; slot < 13; slot += 1) {
    const index: Hex = `0x${slot.toString(16).padStart(64, '0')}`
    const value = (await reader.getStorageAt({ address: from, slot: index }))!
    await client.setStorageAt({ address: to, index, value })
  }
}
