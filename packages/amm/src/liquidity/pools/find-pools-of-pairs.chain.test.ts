import { useDevnet } from '@svc/devnet/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pool } from '../../ports.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('findPools', () => {
  it('finds every pool of the pair in every version, deepest first, at one block, in both orders', async () => {
    const { reads, chain } = bench
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await reads.findPools(chain, weth, usdc)
    expect(names(pools)).toEqual(expected(weth.address, usdc.address))
    expect(pools).toHaveLength(6)
    for (const [index, pool] of pools.slice(1).entries()) expect(pool.liquidity <= pools[index]!.liquidity).toBe(true)
    expect(new Set(pools.map(({ blockNumber }) => blockNumber)).size).toBe(1)
    expect(await reads.findPools(chain, usdc, weth)).toEqual(pools)
  })

  it('asks in one request, for the block and the pools', async () => {
    let requests = 0
    const counting = createReadsBench(devnet(), () => {
      requests += 1
      return null
    })
    await counting.reads.findPools(counting.chain, await bench.token('WETH'), await bench.token('USDC'))
    expect(requests).toBe(1)
  })

  it('keeps to the versions asked for, and to those deployed', async () => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const found = await bench.reads.findPools(bench.chain, weth, usdc, ['v2', 'v4'])
    expect(found.map(({ version }) => version).toSorted()).toEqual(['v2', 'v4'])
    const { v3: _, ...amm } = bench.chain.amm
    await expect(bench.reads.findPools({ ...bench.chain, amm }, weth, usdc, ['v3'])).resolves.toEqual([])
  })

  it('takes the wrapped token for the native currency in v2 and v3, and keeps them apart in v4', async () => {
    const [ether, weth, usdc] = await Promise.all(['ETH', 'WETH', 'USDC'].map((symbol) => bench.token(symbol)))
    const native = await bench.reads.findPools(bench.chain, ether!, usdc!)
    const wrapped = await bench.reads.findPools(bench.chain, weth!, usdc!)
    expect(native.filter(({ version }) => version !== 'v4')).toEqual(wrapped.filter(({ version }) => version !== 'v4'))
    expect(native.filter(({ version }) => version === 'v4')).toMatchObject([{ token0: { isNative: true } }])
    expect(wrapped.filter(({ version }) => version === 'v4').every(({ token0 }) => !token0.isNative)).toBe(true)
    const same = await bench.reads.findPools(bench.chain, ether!, weth!)
    expect(same).toEqual([])
  })

  it('finds none where there is none', async () => {
    const [fot, usdt] = await Promise.all([bench.token('FOT'), bench.token('USDT')])
    await expect(bench.reads.findPools(bench.chain, fot, usdt)).resolves.toEqual([])
  })

  it('takes a failing endpoint for no empty answer', async () => {
    const failing = createReadsBench(devnet(), (body) =>
      body.includes('eth_call') ? new Response('no', { status: 500 }) : null,
    )
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    await expect(failing.reads.findPools(failing.chain, weth, usdc)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  })
})

function expected(tokenA: string, tokenB: string): string[] {
  const wanted = [tokenA, tokenB].toSorted().join()
  const pools = devnet().pools.filter(({ token0, token1 }) => [token0, token1].toSorted().join() === wanted)
  return pools.map(({ version, id }) => `${version} ${id}`).toSorted()
}

function names(pools: readonly Pool[]): string[] {
  return pools.map(({ version, id }) => `${version} ${id}`).toSorted()
}
