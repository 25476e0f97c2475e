import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import type { OperationSponsors } from '@svc/wallet/core'
import { erc20Abi } from '@svc/amm/abis'
import { type Address, formatUnits, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

async function withSponsors(work: (sponsors: OperationSponsors) => Promise<void>): Promise<void> {
  const [bundler, paymaster] = [
    await startFakeBundler({ devnet: devnet() }),
    await startPaymaster({ devnet: devnet() }),
  ]
  try {
    await work({ bundlerUrl: bundler.url, paymasterUrl: paymaster.url })
  } finally {
    await Promise.all([bundler.stop(), paymaster.stop()])
  }
}

/** A position that trades of others have earned fees. */
async function open(version: string): Promise<Answer> {
  const range = { fee: 500, rangeStrategy: 'medium', version }
  const opened = await world.call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', ...range })
  await devnet().trade(20, 3, [opened.text('pool.poolAddress') as `0x${string}`])
  return opened
}

function spendersOf(): readonly Address[] {
  const { amm, permit2 } = devnet().chain
  return [amm.v3!.positionManager, amm.v3!.swapRouter02, amm.v2!.router, permit2]
}

function allowance(token: string, spender: Address): Promise<bigint> {
  const address = token as Address
  return world.client.readContract({ address, abi: erc20Abi, functionName: 'allowance', args: [world.wallet, spender] })
}

describe('compound_fees', () => {
  test.each(['v3', 'v4'])(
    'adds to a %s position what it earned, wei for wei, and nothing of the wallet',
    async (version) => {
      const opened = await open(version)
      const positionId = opened.text('positionId')
      const tokens = poolTokens(opened)
      const before = await world.call('get_position', { positionId, version })
      const balances = await Promise.all(tokens.map((token) => world.balance(token)))
      const answer = await world.call('compound_fees', { positionId, version, swapToRatio: false })
      const after = await world.call('get_position', { positionId, version })
      for (const index of [0, 1] as const) {
        const digits = tokens[index]!.toLowerCase() === world.address('USDC').toLowerCase() ? 6 : 18
        const left = (await world.balance(tokens[index]!)) - balances[index]!
        const collected = Number(answer.text(`feesCollected.amount${index}`))
        const added = Number(answer.text(`reinvested.amount${index}`))
        expect(answer.text(`feesCollected.amount${index}`)).toBe(before.text(`feesOwed${index}`))
        expect(left).toBeGreaterThanOrEqual(0n)
        expect(collected - added).toBeCloseTo(Number(formatUnits(left, digits)), 9)
      }
      const grown = BigInt(after.text('liquidityRaw')) - BigInt(before.text('liquidityRaw'))
      expect(answer.text('newLiquidity')).toBe(`${grown}`)
      expect([after.text('feesOwed0'), after.text('feesOwed1')]).toEqual(['0', '0'])
      expect(answer.at('reinvested.swapExecuted')).toBe(false)
      expect(answer.text('atomicity')).toBe(version === 'v3' ? 'multicall' : 'single')
    },
  )

  test('is planned, kept and carried out once', async () => {
    const positionId = (await open('v3')).text('positionId')
    // Fees count as the owner's once no reorganisation takes them away.
    await testClient(devnet()).mine({ blocks: 2 })
    const planned = await world.call('compound_fees', { positionId, swapToRatio: false, dryRun: true })
    expect(planned.text('plan.spendUsd')).toBe('0')
    await devnet().trade(4, 5)
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(BigInt(answer.text('newLiquidity'))).toBeGreaterThan(0n)
    const again = await world.refuse('execute_plan', { planId: planned.text('plan.planId') })
    expect(again.code).not.toBe('INTERNAL')
  })

  test.each(['v3', 'v4'])(
    'swaps what is too much and adds both to a %s position, as one transaction',
    async (version) => {
      const opened = await open(version)
      const positionId = opened.text('positionId')
      await devnet().trade(1, 5, [opened.text('pool.poolAddress') as `0x${string}`])
      const tokens = poolTokens(opened)
      const before = await world.call('get_position', { positionId, version })
      const balances = await Promise.all(tokens.map((token) => world.balance(token)))
      const answer = await world.call('compound_fees', { positionId, version })
      const after = await world.call('get_position', { positionId, version })
      expect(answer.at('transactions')).toHaveLength(1)
      expect(answer.text('atomicity')).toBe('batch-7702')
      expect(answer.at('reinvested.swapExecuted')).toBe(true)
      const details = /^([\d.]+) (\w+) for ([\d.]+) (\w+) through v[234]$/.exec(answer.text('reinvested.swapDetails'))
      expect(details).not.toBeNull()
      const [, paid = '', paidSymbol, got = ''] = details!
      for (const index of [0, 1] as const) {
        const isUsdc = tokens[index]!.toLowerCase() === world.address('USDC').toLowerCase()
        const left = (await world.balance(tokens[index]!)) - balances[index]!
        const units = (text: string) => parseUnits(text, isUsdc ? 6 : 18)
        const swapped = paidSymbol === (isUsdc ? 'USDC' : 'WETH') ? -units(paid) : units(got)
        const [collected, added] = [`feesCollected.amount${index}`, `reinvested.amount${index}`].map((member) =>
          units(answer.text(member)),
        )
        // Wei for wei; what a v4 deposit takes is known by its price, to the unit.
        const slack = version === 'v4' ? 2n : 0n
        const difference = collected! + swapped - added! - left
        expect(difference >= -slack && difference <= slack).toBe(true)
        expect(left).toBeGreaterThanOrEqual(0n)
      }
      const grown = BigInt(after.text('liquidityRaw')) - BigInt(before.text('liquidityRaw'))
      expect(answer.text('newLiquidity')).toBe(`${grown}`)
      expect(grown).toBeGreaterThan(0n)
      for (const token of tokens) {
        for (const spender of spendersOf()) expect(await allowance(token, spender)).toBe(0n)
      }
    },
  )

  test.each(['v3', 'v4'])(
    'swaps and adds to a %s position by a user operation, wei for wei, which costs the wallet no gas',
    async (version) => {
      await world.close()
      await withSponsors(async (sponsors) => {
        const { chainId, simple7702Account } = devnet()
        const policy = { ...ownPolicy(devnet()), batchDelegate: { [chainId]: simple7702Account } }
        world = await openWorld(devnet(), { policy, sponsors })
        const opened = await open(version)
        const positionId = opened.text('positionId')
        await devnet().trade(1, 5, [opened.text('pool.poolAddress') as `0x${string}`])
        const tokens = poolTokens(opened)
        const before = await world.call('get_position', { positionId, version })
        const holds = () => Promise.all([...tokens, 'ETH'].map((token) => world.balance(token)))
        const balances = await holds()
        const answer = await world.call('compound_fees', { positionId, version })
        const after = await world.call('get_position', { positionId, version })
        expect(answer.at('transactions')).toEqual([answer.text('txHash')])
        expect(answer.text('atomicity')).toBe('user-operation')
        expect(answer.at('gasCostUsd')).toBe(0)
        expect(answer.at('reinvested.swapExecuted')).toBe(true)
        const grown = BigInt(after.text('liquidityRaw')) - BigInt(before.text('liquidityRaw'))
        expect(answer.text('newLiquidity')).toBe(`${grown}`)
        const [left0 = 0n, left1 = 0n, gas = 0n] = (await holds()).map((now, index) => now - balances[index]!)
        expect(gas).toBe(0n)
        const swap = /^([\d.]+) (\w+) for ([\d.]+) \w+ through/.exec(answer.text('reinvested.swapDetails'))!
        for (const [index, left] of [left0, left1].entries()) {
          const isUsdc = tokens[index]!.toLowerCase() === world.address('USDC').toLowerCase()
          const units = (text: string) => parseUnits(text, isUsdc ? 6 : 18)
          const swapped = swap[2] === (isUsdc ? 'USDC' : 'WETH') ? -units(swap[1]!) : units(swap[3]!)
          const [collected, added] = ['feesCollected', 'reinvested'].map((of) =>
            units(answer.text(`${of}.amount${index}`)),
          )
          const difference = collected! + swapped - added! - left
          const slack = version === 'v4' ? 2n : 0n
          expect(difference >= -slack && difference <= slack).toBe(true)
          expect(left).toBeGreaterThanOrEqual(0n)
        }
        for (const token of tokens) {
          for (const spender of spendersOf()) expect(await allowance(token, spender)).toBe(0n)
        }
      })
    },
  )

  test('with a swap is planned, kept and carried out', async () => {
    const opened = await open('v3')
    const positionId = opened.text('positionId')
    await devnet().trade(1, 5, [opened.text('pool.poolAddress') as `0x${string}`])
    const planned = await world.call('compound_fees', { positionId, dryRun: true })
    expect(planned.text('plan.atomicity')).toBe('batch-7702')
    // More fees of the side that is sold: no more of it is swapped than planned.
    await devnet().trade(1, 5, [opened.text('pool.poolAddress') as `0x${string}`])
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(BigInt(answer.text('newLiquidity'))).toBeGreaterThan(0n)
  })

  test('refuses rather than run piecemeal where a swap is needed, and says what to call', async () => {
    await world.close()
    world = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), batchDelegate: {} } })
    const opened = await world.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      amount0: '3',
      fee: 500,
      rangeStrategy: 'medium',
    })
    const [pool, positionId] = [opened.text('pool.poolAddress') as `0x${string}`, opened.text('positionId')]
    await devnet().trade(1, 3, [pool])
    const refusal = await world.refuse('compound_fees', { positionId })
    expect(refusal).toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
    expect(refusal.suggestion).toMatch(/swapToRatio false/)
  })
})
