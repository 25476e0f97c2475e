import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { poolIdOf } from '@svc/amm/liquidity'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { devnetPolicy } from '../../../engine/src/policy/policy.ts'
import { testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

/** Asked before liquidity is removed, and after: bits 9 and 8 of its address (v4-core Hooks library). */
const keepers: readonly Address[] = [
  '0x1111111111111111111111111111111111110200',
  '0x1111111111111111111111111111111111110100',
]
const deposit = { token0: 'WETH', token1: 'USDC', fee: 3_000, version: 'v4', amount0: '8', amount1: '24000' }

describe('G13: a deposit that the hook of its pool need not give back', () => {
  it.each(['lenient', 'strict'] as const)('is not made, though the pool is at the market (%s)', async (mode) => {
    const world = await openWorld(devnet(), { policy: { ...devnetPolicy(), allowlist: { mode } } })
    const before = await world.balance('USDC')
    for (const hooks of keepers) {
      await openPool(hooks)
      const refusal = await world.refuse('add_liquidity', { ...deposit, hookAddress: hooks, rangeStrategy: 'full' })
      expect(refusal.code).toBe('HOOK_NOT_SUPPORTED')
    }
    expect(await world.balance('USDC')).toBe(before)
    await world.close()
  })

  it('is made where the operator named the pool', async () => {
    const hooks = keepers[0]!
    const pools = { [`${devnet().chainId}`]: { [poolIdOf(keyOf(hooks))]: { budgetUsd: '60000' } } }
    const world = await openWorld(devnet(), { policy: { ...devnetPolicy(), valueRules: { pools } } })
    await openPool(hooks)
    const added = await world.call('add_liquidity', { ...deposit, hookAddress: hooks, rangeStrategy: 'full' })
    expect(added.text('version')).toBe('v4')
    await world.close()
  })
})

function keyOf(hooks: Address) {
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => devnet().tokens.find((one) => one.symbol === symbol)!.address)
  const [currency0, currency1] = BigInt(weth!) < BigInt(usdc!) ? [weth!, usdc!] : [usdc!, weth!]
  return { currency0, currency1, fee: 3_000, tickSpacing: 60, hooks }
}

/** At 3,000 dollars, by a stranger. */
async function openPool(hooks: Address): Promise<void> {
  // Reverts at everything: nothing is ever removed from its pools.
  await testClient(devnet()).setCode({ address: hooks, bytecode: '0x5f5ffd' })
  const stranger = await createChainActor(devnet(), devnet().accounts[9]!.address)
  const key = keyOf(hooks)
  const isWethFirst = key.currency0 === devnet().chain.wrappedNative.address
  const price = isWethFirst ? sqrtPriceFromPrice('3000', 18, 6) : sqrtPriceFromPrice(`${1 / 3_000}`, 6, 18)
  await stranger.initializeV4(key, price)
}
