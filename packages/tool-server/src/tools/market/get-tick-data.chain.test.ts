import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const poolOf = (version: string) =>
  devnet().pools.find((pool) => pool.version === version && pool.label === 'WETH/USDC 0.05 %')!.id

describe('get_tick_data', () => {
  test.each(['v3', 'v4'])('shows where a new %s position begins and ends, with its liquidity', async (version) => {
    const pool = poolOf(version)
    const before = await world.call('get_tick_data', { pool, aroundPct: 60 })
    await world.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      amount0: '1',
      fee: 500,
      version,
      rangeStrategy: 'narrow',
    })
    const after = await world.call('get_tick_data', { pool, aroundPct: 60 })
    const [position] = (await world.call('get_positions_by_owner')).list('items')
    const liquidity = BigInt(position!.text('liquidityRaw'))
    for (const [end, sign] of [
      ['tickLower', 1n],
      ['tickUpper', -1n],
    ] as const) {
      const tick = position!.number(end)
      expect(netAt(after, tick) - netAt(before, tick)).toBe(sign * liquidity)
    }
    expect(activeAt(after) - activeAt(before)).toBe(liquidity)
    expect(after.at('notes')).toEqual([expect.stringContaining(`active at currentTick is ${activeAt(after)}:`)])
    expect(activeAt(after)).toBe(BigInt((await world.call('get_pool_state', { pool })).text('liquidityRaw')))
  })

  test('adds up: each active liquidity is the one before plus the net', async () => {
    const answer = await world.call('get_tick_data', { pool: poolOf('v3'), tickLower: -887_272, tickUpper: 887_272 })
    const rows = answer.list('ticks')
    expect(rows.length).toBeGreaterThan(4)
    let active = 0n
    for (const row of rows) {
      active += BigInt(row.text('liquidityNet'))
      expect(BigInt(row.text('activeLiquidity'))).toBe(active)
    }
    expect(active).toBe(0n)
    expect(answer.at('truncated')).toBe(false)
  })

  test('keeps to the ticks nearest the price when there are too many, and says so', async () => {
    const args = { pool: poolOf('v3'), tickLower: -887_272, tickUpper: 887_272 }
    const few = await world.call('get_tick_data', { ...args, maxTicks: 2 })
    expect(few.list('ticks')).toHaveLength(2)
    expect(few.at('truncated')).toBe(true)
    expect(few.at('notes')).toHaveLength(2)
  })
})

function netAt(answer: Answer, tick: number): bigint {
  const row = answer.list('ticks').find((each) => each.number('tick') === tick)
  return row === undefined ? 0n : BigInt(row.text('liquidityNet'))
}

function activeAt(answer: Answer): bigint {
  const below = answer.list('ticks').filter((row) => row.number('tick') <= answer.number('currentTick'))
  return BigInt(below.at(-1)!.text('activeLiquidity'))
}
