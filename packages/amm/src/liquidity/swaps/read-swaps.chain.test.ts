import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pool } from '../../ports.ts'
import { createChainActor, v3PathOf, type ChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>
let actor: ChainActor

beforeEach(async () => {
  bench = createReadsBench(devnet())
  actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
})

describe('swaps', () => {
  it.each(['v2', 'v3', 'v4'] as const)('of a %s pool are signed as the pool sees them, and dated', async (version) => {
    const pool = await poolOf(version)
    const from = await now()
    await devnet().mineTo(from + 100)
    const gains: [bigint, bigint][] = []
    for (const zeroForOne of [true, false, true]) {
      const before = await balances(pool)
      await swap(pool, zeroForOne)
      const after = await balances(pool)
      gains.push([before[0] - after[0], before[1] - after[1]])
    }
    const history = await bench.reads.swaps(bench.chain, pool, from + 1)
    expect(history).toMatchObject({ complete: true, completeFrom: from + 1 })
    expect(history.swaps.map(({ amount0, amount1 }) => [amount0, amount1])).toEqual(gains)
    const client = bench.rpc.client(bench.chain)
    for (const record of history.swaps) {
      const { timestamp } = await client.getBlock({ blockNumber: record.blockNumber })
      expect(record.timestamp).toBe(Number(timestamp))
      expect(record.fee).toBe(pool.fee)
      const receipt = await client.getTransactionReceipt({ hash: record.transactionHash })
      expect(receipt.blockNumber).toBe(record.blockNumber)
    }
    const { sqrtPriceX96, tick, liquidity } = await bench.reads.pool(bench.chain, { version, id: pool.id })
    expect(history.swaps.at(-1)).toMatchObject({ sqrtPriceX96, tick, liquidity })
  })

  it('before the time asked for are left out', async () => {
    const pool = await poolOf('v3')
    await swap(pool, true)
    const between = (await now()) + 3_600
    await devnet().mineTo(between)
    await devnet().mineTo(between + 3_600)
    await swap(pool, false)
    await expect(bench.reads.swaps(bench.chain, pool, between)).resolves.toMatchObject({ swaps: [{}], complete: true })
    const all = await bench.reads.swaps(bench.chain, pool, 0)
    expect(all.swaps).toHaveLength(2)
    await expect(bench.reads.swaps(bench.chain, pool, between + 1_000_000)).resolves.toMatchObject({ swaps: [] })
  })

  it('are dated by their blocks where the node gives no time with its logs', async () => {
    const pool = await poolOf('v3')
    const from = await now()
    for (const hours of [1, 3, 4]) {
      await devnet().mineTo(from + hours * 3_600)
      await swap(pool, hours !== 3)
    }
    const dated = await bench.reads.swaps(bench.chain, pool, from)
    const silent = createReadsBench(devnet(), null, (text) => text.replaceAll(/,"blockTimestamp":"0x[0-9a-f]+"/g, ''))
    expect(await silent.reads.swaps(bench.chain, pool, from)).toEqual(dated)
    expect(dated.swaps).toHaveLength(3)
  })

  it('tell of each request before it is made, and end where they may make no more', async () => {
    const pool = await poolOf('v3')
    const from = await now()
    await swap(pool, true)
    await devnet().mineTo(from + 7_200)
    const read = async (most: number, logRangeBlocks = bench.chain.logRangeBlocks) => {
      let made = 0
      const onRequest = () => {
        if (made === most) throw new Error('No more.')
        made += 1
      }
      const chain = { ...bench.chain, logRangeBlocks }
      await createReadsBench(devnet()).reads.swaps(chain, pool, from, from + 3_600, { onRequest })
      return made
    }
    expect(await read(1_000), 'all in one request, as the blocks are few').toBe(1)
    const needed = await read(1_000, 1)
    expect(needed, 'a request for the logs of each block').toBeGreaterThan(2)
    expect(await read(needed, 1)).toBe(needed)
    for (const most of [0, 1, needed - 1]) await expect(read(most, 1)).rejects.toThrow('No more.')
  })

  it('are those of the time that was asked for, however the blocks lie that were guessed for it', async () => {
    const pool = await poolOf('v3')
    const from = await now()
    // Hours without a block, then one every second: no rhythm tells where a time lies.
    for (const at of [3_600, 7_200, 7_201, 7_202, 7_203, 50_000, 50_001, 90_000]) {
      await devnet().mineTo(from + at)
      await swap(pool, at % 2 === 0)
    }
    const all = (await bench.reads.swaps(bench.chain, pool, 0)).swaps
    expect(all).toHaveLength(8)
    const chain = { ...bench.chain, logRangeBlocks: 3 }
    const remembering = createReadsBench(devnet())
    for (const [after, until] of [
      [7_000, 7_300],
      [0, 7_150],
      [49_000, undefined],
      [7_250, 49_000],
      [7_202, 60_000],
    ] as const) {
      const [start, end] = [from + after, until === undefined ? undefined : from + until]
      for (const { reads } of [createReadsBench(devnet()), remembering]) {
        const { swaps, ...rest } = await reads.swaps(chain, pool, start, end)
        expect(rest).toEqual({ created: null, complete: true, completeFrom: start })
        const later = swaps.filter(({ timestamp }) => timestamp > (end ?? Infinity))
        expect(later.length, 'no more than the one that shows that none is missing').toBeLessThan(2)
        const last = end ?? swaps.at(-1)?.timestamp ?? 0
        const within = all.filter(({ timestamp }) => timestamp >= start && timestamp <= last)
        const next = all.filter(({ timestamp }) => timestamp > last).slice(0, later.length)
        expect(swaps).toEqual([...within, ...next])
      }
    }
  })

  it.each([
    ['taken back', '"removed":false', '"removed":true'],
    ['ahead of the head', /"blockTimestamp":"0x[0-9a-f]+"/g, '"blockTimestamp":"0xee6b2800"'],
  ])('%s are the word of an endpoint that is not believed', async (_, reported, lie) => {
    const pool = await poolOf('v3')
    const from = await now()
    await swap(pool, true)
    const lying = createReadsBench(devnet(), null, (text) => text.replaceAll(reported, lie))
    await expect(lying.reads.swaps(bench.chain, pool, from)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  })

  it('are found over many ranges, and halved where a range is refused', async () => {
    const pool = await poolOf('v3')
    const from = await now()
    for (let round = 0; round < 9; round += 1) await swap(pool, round % 2 === 0)
    const whole = await bench.reads.swaps(bench.chain, pool, from)
    const narrow = await bench.reads.swaps({ ...bench.chain, logRangeBlocks: 2 }, pool, from)
    expect(narrow).toEqual(whole)
    const refused: string[] = []
    const strict = createReadsBench(devnet(), refuseWider(3, refused))
    expect(await strict.reads.swaps(bench.chain, pool, from)).toEqual(whole)
    expect(refused.length).toBeGreaterThan(0)
  })

  it('say since when they are complete once the budget is spent', async () => {
    const pool = await poolOf('v3')
    const from = await now()
    await swap(pool, true)
    for (let block = 0; block < 80; block += 1) await devnet().mineTo(from + 1_000 + block)
    await swap(pool, false)
    const strict = createReadsBench(devnet(), refuseWider(1))
    const history = await strict.reads.swaps({ ...bench.chain, logRangeBlocks: 1 }, pool, from)
    expect(history.complete).toBe(false)
    expect(history.completeFrom).toBeGreaterThan(from + 1_000)
    expect(history.swaps).toHaveLength(1)
    expect(history.created).toBeNull()
    const wider = await bench.reads.swaps({ ...bench.chain, logRangeBlocks: 1 }, pool, from)
    expect([wider.complete, wider.swaps.length]).toEqual([true, 2])
  })
})

it('are looked for no further back than where their pool was created', async () => {
  const key = { ...poolKeyOf(await poolOf('v4')), fee: 777, tickSpacing: 7 }
  const sqrtPriceX96 = 2n ** 96n + 5n
  const id = await actor.initializeV4(key, sqrtPriceX96)
  const pool = await bench.reads.pool(bench.chain, { version: 'v4', id })
  const asked: string[] = []
  const strict = createReadsBench(devnet(), (body) => (body.includes('eth_getLogs') && asked.push(body), null))
  const history = await strict.reads.swaps({ ...bench.chain, logRangeBlocks: 1 }, pool, 0)
  expect(history).toMatchObject({ swaps: [], complete: true, completeFrom: 0, created: { sqrtPriceX96 } })
  expect(asked.length).toBeLessThan(10)
})

/** An endpoint that gives logs of no more than so many blocks at once. */
function refuseWider(most: number, refused: string[] = []) {
  return (body: string) => {
    const calls: LogCall[] = [JSON.parse(body)].flat()
    const tooWide = calls.find(({ method, params: [range] }) => method === 'eth_getLogs' && widthOf(range) > most)
    if (tooWide === undefined) return null
    refused.push(body)
    const error = { code: -32_000, message: `query exceeds max block range ${most}` }
    const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    return Response.json(answers.length === 1 ? answers[0] : answers)
  }
}

type LogCall = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] }

function widthOf({ fromBlock, toBlock }: LogCall['params'][0]): number {
  return Number(toBlock) - Number(fromBlock) + 1
}

async function poolOf(version: 'v2' | 'v3' | 'v4'): Promise<Pool> {
  const [tokenA, tokenB] = await Promise.all([bench.token(version === 'v4' ? 'ETH' : 'WETH'), bench.token('USDC')])
  const [pool] = await bench.reads.findPools(bench.chain, tokenA, tokenB, [version])
  return pool!
}

async function now(): Promise<number> {
  return Number((await bench.rpc.head(bench.chain)).timestamp)
}

/** What the pool holds: of v4 the manager, which only this test trades with. */
async function balances(pool: Pool): Promise<[bigint, bigint]> {
  const gasFree = async (token: typeof pool.token0) => actor.balanceOf(token.address)
  if (pool.token0.address !== zeroAddress) return [await gasFree(pool.token0), await gasFree(pool.token1)]
  const { poolManager } = bench.chain.amm.v4!
  const held = await actor.client.getBalance({ address: poolManager })
  return [-held, await gasFree(pool.token1)]
}

async function swap(pool: Pool, zeroForOne: boolean): Promise<void> {
  const [input, output] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const amountIn = parseUnits(input.decimals === 6 ? '2500.5' : '1.25', input.decimals)
  if (pool.version === 'v2') await actor.swapV2([input.address, output.address], amountIn)
  else if (pool.version === 'v3') await actor.swapV3(v3PathOf(input.address, pool.fee, output.address), amountIn)
  else await actor.swapV4(poolKeyOf(pool), zeroForOne, amountIn)
}
