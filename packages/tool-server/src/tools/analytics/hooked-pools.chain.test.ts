import { useDevnet } from '@svc/devnet/testing'
import { fullRangeTicks, getSqrtPriceAtTick } from '@svc/lp-math'
import { createTestClient, getAddress, http, parseAbi, type Address } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChainActor, type ChainActor } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { dynamicFeeFlag, poolIdOf, type PoolKey } from '@svc/amm/liquidity'
import { sortPair } from '../../../../amm/src/liquidity/pools/pool-state.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
let startTime: string

/** The low 14 bits of a hook's address say when it is called: here never, and where somebody donates. Neither needs code. */
const silent = getAddress('0x0000000000000000000000000000000000014000')
const donations = getAddress('0x0000000000000000000000000000000000014010')

const days = 15

/** Pools of ether and dollars that were traded in every day: one whose hook sets the fee, one of a fixed fee with a hook. */
beforeAll(async () => {
  world = await openWorld(devnet())
  const trader = await createChainActor(devnet(), devnet().accounts[0]!.address)
  const keys = [keyOf(dynamicFeeFlag, silent), keyOf(500, donations)]
  for (const key of keys) {
    await trader.initializeV4(key, getSqrtPriceAtTick(tick()))
    const { tickLower, tickUpper } = fullRangeTicks(60)
    await trader.mintV4(key, tickLower, tickUpper, 10n ** 14n)
  }
  await setFee(keys[0]!, 3_000)
  const { timestamp } = await world.client.getBlock()
  startTime = new Date(Number(timestamp) * 1_000 + 3_600_000).toISOString()
  for (let day = 1; day <= days; day++) {
    await devnet().mineTo(Number(timestamp) + day * 86_400)
    for (const key of keys) await swap(trader, key, day % 2 === 0)
  }
  world.clock.offsetMs = Number(timestamp) * 1_000 + days * 86_400_000 + 3_600_000 - Date.now()
}, 120_000)
afterAll(async () => {
  await world.close()
})

const isWethFirst = () => sortPair(weth(), usdc())[0].address === weth().address
const weth = () => ({ address: world.address('WETH') })
const usdc = () => ({ address: world.address('USDC') })
/** Near 3,000 dollars for an ether. */
const tick = () => (isWethFirst() ? -196_260 : 196_260)

function keyOf(fee: number, hooks: Address): PoolKey {
  const [currency0, currency1] = sortPair(weth(), usdc())
  return { currency0: currency0.address, currency1: currency1.address, fee, tickSpacing: 60, hooks }
}

async function swap(trader: ChainActor, key: PoolKey, isUp: boolean) {
  const isWethIn = !isUp
  await trader.swapV4(key, isWethIn === isWethFirst(), isWethIn ? 5n * 10n ** 16n : 150n * 10n ** 6n)
}

/** What the hook itself would do: only it may. */
async function setFee(key: PoolKey, fee: number) {
  await devnet().fund(key.hooks, { ETH: '1' })
  await createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).impersonateAccount({ address: key.hooks })
  const hook = await createChainActor(devnet(), key.hooks)
  await hook.write(world.chain.amm.v4!.poolManager, manager, 'updateDynamicLPFee', [key, fee])
}

const manager = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function updateDynamicLPFee(PoolKey key, uint24 newDynamicLPFee)',
])

const dynamicNote = expect.stringContaining('The fee is dynamic, 0.3 % now')
const hookNote = expect.stringContaining('The hook of this pool may refuse')

describe.each([
  { kind: 'dynamic', fee: dynamicFeeFlag, inForce: 3_000, hooks: silent },
  { kind: 'fixed', fee: 500, inForce: 500, hooks: donations },
])('a v4 pool with a $kind fee and a hook', ({ kind, fee, inForce, hooks }) => {
  const pool = () => poolIdOf(keyOf(fee, hooks))
  const pair = { token0: 'WETH', token1: 'USDC', amount: '1000' }

  test.each(['optimize_lp_range', 'backtest_lp_strategy', 'get_volume_history'])(
    'is an estimate to %s, which says why',
    async (tool) => {
      const args = tool === 'get_volume_history' ? {} : { ...pair, ...(tool.startsWith('back') ? { startTime } : {}) }
      const answer = await world.call(tool, { pool: pool(), ...args })
      expect([answer.at('isEstimate'), answer.text('pool')]).toEqual([true, pool()])
      expect(answer.at('notes')).toContainEqual(hookNote)
      const notes = answer.at('notes') as string[]
      expect(notes.some((note) => dynamicNote.asymmetricMatch(note))).toBe(kind === 'dynamic')
      expect([inForce, undefined]).toContain(answer.at('fee'))
    },
  )

  test('is found by nothing but its id', async () => {
    const named = { ...pair, pool: pool() }
    const refused = [
      // The deepest of those without hooks, in which nobody traded.
      await world.refuse('optimize_lp_range', pair),
      await world.refuse('optimize_lp_range', { ...named, token0: 'WBTC' }),
      await world.refuse('optimize_lp_range', { ...named, fee: 10_000 }),
      await world.refuse('backtest_lp_strategy', { ...named, startTime, pool: `0x${'1'.repeat(64)}` }),
    ]
    expect(refused[0]!.details[0]).toMatchObject({ daysFound: 0, daysNeeded: 7 })
    expect(refused.map(({ code, details }) => [code, details[0]?.field])).toEqual([
      ['INSUFFICIENT_HISTORY', 'pool'],
      ['VALIDATION_FAILED', 'pool'],
      ['VALIDATION_FAILED', 'fee'],
      ['POOL_NOT_FOUND', 'pool'],
    ])
  })
})

test('a dynamic fee that was changed counts as it was paid, and ahead as it is', async () => {
  const key = keyOf(dynamicFeeFlag, silent)
  const named = { pool: poolIdOf(key), token0: 'WETH', token1: 'USDC', amount: '1000' }
  const strategies = '[{"name":"all","rangePct":null,"rebalanceThresholdPct":null}]'
  const backtest = () => world.call('backtest_lp_strategy', { ...named, startTime, strategies })
  const earned = async () => (await backtest()).list('strategies')[0]!.number('feesEarnedUsd')
  const before = await earned()
  // Back at a snapshot the chain takes the time of day again, which lies before its last block.
  await devnet().mineTo(Number((await world.client.getBlock()).timestamp) + 60)
  await setFee(key, 0)
  expect(await earned()).toBeCloseTo(before, 6)
  expect((await world.call('optimize_lp_range', named)).at('notes')).toContainEqual(
    expect.stringContaining('The fee is dynamic, 0 % now'),
  )
})
