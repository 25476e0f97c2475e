import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, test } from 'vitest'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()

const all = '30000'
const policy = {
  version: 1,
  limitsUsd: { perTransaction: '3000', perSession: all, daily: all },
  approvalThresholdUsd: null,
} as const

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld(devnet(), { policy })
  try {
    await run(world)
  } finally {
    await world.close()
  }
}

/** What the refusal says would fit, of one token. */
function fitting(message: string, symbol: string): string {
  const found = new RegExp(`([\\d.]+) ${symbol}\\b[^;]*for the amount`).exec(message)?.[1]
  if (found === undefined) throw new Error(`no amount of ${symbol} in: ${message}`)
  return found
}

/** Asks for too much, follows the refusal, and gives what that plans. */
async function followed(world: World, name: string, args: Record<string, unknown>, [field, symbol]: [string, string]) {
  const { code, message } = await world.refuse(name, args)
  expect(code).toBe('SPENDING_LIMIT_EXCEEDED')
  const again = { ...args, [field]: fitting(message, symbol) }
  expect(Number(again[field as keyof typeof again])).toBeLessThan(Number(args[field]))
  return world.call(name, { ...again, dryRun: true })
}

const stable = { token0: 'USDT', token1: 'USDC', fee: 100, rangeStrategy: 'narrow' }

describe('G4: the amount that a limit names as fitting', () => {
  const deposits = [
    ['v2', { token0: 'WETH', token1: 'USDC', amount0: '5' }, 'WETH'],
    ['v3', { ...stable, amount0: '5000' }, 'USDT'],
    ['v4', { ...stable, amount0: '5000' }, 'USDT'],
    ['v4', { token0: 'ETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', amount0: '1' }, 'ETH'],
    ['v4', { token0: 'USDC', token1: 'ETH', fee: 500, rangeStrategy: 'narrow', amount0: '3000' }, 'USDC'],
  ] as const

  test.each(deposits)('is one that a deposit into %s takes: %j', async (version, args, symbol) => {
    await inWorld(async (world) => {
      const answer = await followed(world, 'add_liquidity', { ...args, version }, ['amount0', symbol])
      expect(answer.at('plan.policy.refusals')).toEqual([])
    })
  })

  test.each(['v3', 'v4'])('is one that a position in %s takes', async (version) => {
    await inWorld(async (world) => {
      const pair = { token0: 'ETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', version }
      const opened = await world.call('add_liquidity', {
        ...pair,
        token0: version === 'v4' ? 'ETH' : 'WETH',
        amount0: '0.1',
      })
      await testClient(devnet()).mine({ blocks: 2 })
      const native = version === 'v4' ? {} : { payNative: true }
      const args = { positionId: opened.text('positionId'), version, amount0: '2', ...native }
      const token0 = version === 'v4' ? 'ETH' : 'WETH'
      const answer = await followed(world, 'increase_liquidity', { ...args, token0 }, ['amount0', 'ETH'])
      expect(answer.at('plan.policy.refusals')).toEqual([])
    })
  })

  test.each(['v2', 'v3', 'v4'])('is one that a swap through %s takes', async (version) => {
    await inWorld(async (world) => {
      const args = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '5000', version }
      const answer = await followed(world, 'execute_swap', args, ['amount', 'USDC'])
      expect(answer.at('plan.policy.refusals')).toEqual([])
    })
  })
})

test('a plan of a v4 deposit says by how much more it may take than given, and that is so', async () => {
  await inWorld(async (world) => {
    const answer = await world.call('add_liquidity', { ...stable, amount0: '1000', version: 'v4', dryRun: true })
    const warning = (answer.at('plan.warnings') as string[]).find((one) => one.startsWith('v4 fixes')) ?? ''
    const percent = Number(/up to ([\d.]+) % more USDT than given/.exec(warning)?.[1])
    const [most] = answer.at('plan.bounds.spendsAtMost') as { amount: string }[]
    expect(percent / 100 + 1).toBeCloseTo(Number(most?.amount) / 1_000, 2)
    expect(percent).toBeGreaterThan(5)
    expect((answer.at('plan.warnings') as string[]).join(' ')).not.toContain('least amounts of the deposit')
  })
})
