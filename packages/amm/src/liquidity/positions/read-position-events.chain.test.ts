import { useDevnet } from '@svc/devnet/testing'
import { parseEventLogs, parseUnits, type TransactionReceipt } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pool, Position } from '../../ports.ts'
import { erc20Abi } from '../../abis/tokens.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { createChainActor, v3PathOf, type ChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>
let actor: ChainActor

beforeEach(async () => {
  bench = createReadsBench(devnet())
  actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
  await devnet().fund(actor.address, { USDC: '2000000', WETH: '20' })
})

describe('what became of a position', () => {
  it.each(['v3', 'v4'] as const)('in %s follows the order of the logs in a block', async (version) => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await bench.reads.findPools(bench.chain, weth, usdc, [version])
    const pool = pools.find(({ fee }) => fee === 500)!
    const pay = (whole: string) => () => swapUsdc(pool, parseUnits(whole, 6))
    const open = () => mint(pool)
    // Whatever has to be approved is so from here on.
    await pay('10')()
    await open()

    let opening = Promise.resolve(0n)
    const opened = await actor.inOneBlock([pay('20000'), () => (opening = open()), pay('30000')])
    const id = String(await opening)
    await pay('5000')()
    const collect = () =>
      version === 'v3' ? actor.collectV3(BigInt(id)) : actor.collectV4(poolKeyOf(pool), BigInt(id))
    const collected = await actor.inOneBlock([pay('7000'), collect, pay('900000')])

    const position = await bench.reads.position(bench.chain, version, id)
    const { events, earned } = await bench.reads.positionEvents(bench.chain, position)
    expect(events.map(({ kind }) => kind)).toEqual(['deposit', 'collection'])
    expect(events[0]!.sqrtPriceX96).toBe(priceAfter(pool, opened[0]!))
    const near = (reported: bigint, wanted: bigint) =>
      expect(Math.abs(Number(reported - wanted))).toBeLessThanOrEqual(2)
    const side = pool.token1.symbol === 'USDC' ? 'amount1' : 'amount0'
    near(events[0]![side], movedUsdc(opened[1]!))
    near(events[1]![side], movedUsdc(collected[1]!))
    const owed = side === 'amount1' ? position.fees1 : position.fees0
    near(earned![side === 'amount1' ? 'fees1' : 'fees0'], movedUsdc(collected[1]!) + owed)
  })

  it('in v4 begins at the price that nobody has changed for long', async () => {
    const [eth, usdc] = await Promise.all([bench.token('ETH'), bench.token('USDC')])
    const [pool] = await bench.reads.findPools(bench.chain, eth, usdc, ['v4'])
    await swapUsdc(pool!, parseUnits('40000', 6))
    const { sqrtPriceX96 } = await bench.reads.pool(bench.chain, { version: 'v4', id: pool!.id })
    await devnet().mineTo(Number((await bench.rpc.head(bench.chain)).timestamp) + 20 * 3_600)
    const position = await positionOf(String(await mint(pool!)))
    const { events } = await bench.reads.positionEvents(bench.chain, position)
    expect(events).toEqual([expect.objectContaining({ kind: 'deposit', sqrtPriceX96 })])
  })
})

it.each(['v3', 'v4'] as const)(
  'a %s position that the chain has another past of is read as if nothing were remembered of it',
  async (version) => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await bench.reads.findPools(bench.chain, weth, usdc, [version])
    const pool = pools.find(({ fee }) => fee === 500)!
    await swapUsdc(pool, parseUnits('10', 6))
    await mint(pool)
    const told = async ({ reads, chain }: typeof bench, id: string) => {
      const position = await reads.position(chain, version, id)
      const begun: unknown[] = []
      const events = await reads.positionEvents(chain, position, (changes) => begun.push(changes))
      return { position, events, begun: begun.at(-1) }
    }
    const goBack = await devnet().checkpoint()
    await swapUsdc(pool, parseUnits('40000', 6))
    const id = String(await mint(pool))
    const first = await told(bench, id)
    expect(await told(bench, id)).toEqual(first)
    await goBack()
    await swapUsdc(pool, parseUnits('90000', 6))
    expect(String(await mint(pool, 2_000))).toBe(id)
    const second = await told(bench, id)
    expect(second).toEqual(await told(createReadsBench(devnet()), id))
    expect(second.position.tickUpper).not.toBe(first.position.tickUpper)
    expect(second.events.events[0]!.sqrtPriceX96).not.toBe(first.events.events[0]!.sqrtPriceX96)
  },
)

const positionOf = (id: string): Promise<Position> => bench.reads.position(bench.chain, 'v4', id)

function movedUsdc({ logs }: TransactionReceipt): bigint {
  const usdc = bench.addressOf('USDC').toLowerCase()
  const moved = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs }).filter(
    ({ address }) => address.toLowerCase() === usdc,
  )
  return moved.at(-1)!.args.value
}

function priceAfter(pool: Pool, { logs }: TransactionReceipt): bigint {
  const abi = pool.version === 'v3' ? v3PoolAbi : v4PoolManagerAbi
  return parseEventLogs({ abi, eventName: 'Swap', logs })[0]!.args.sqrtPriceX96
}

/** About ten percent to both sides, unless told. */
async function mint(pool: Pool, reach = 1_000): Promise<bigint> {
  const middle = Math.round(pool.tick / 10) * 10
  const [tickLower, tickUpper] = [middle - reach, middle + reach]
  if (pool.version === 'v4') return actor.mintV4(poolKeyOf(pool), tickLower, tickUpper, 10n ** 15n)
  const amounts = [pool.token0, pool.token1].map(({ decimals }) => parseUnits(decimals === 6 ? '3000' : '1', decimals))
  return actor.mintV3({
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.fee,
    tickLower,
    tickUpper,
    amount0Desired: amounts[0]!,
    amount1Desired: amounts[1]!,
  })
}

async function swapUsdc(pool: Pool, amountIn: bigint): Promise<unknown> {
  const [input, output] = pool.token0.symbol === 'USDC' ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  if (pool.version === 'v3') return actor.swapV3(v3PathOf(input.address, pool.fee, output.address), amountIn)
  return actor.swapV4(poolKeyOf(pool), input === pool.token0, amountIn)
}
