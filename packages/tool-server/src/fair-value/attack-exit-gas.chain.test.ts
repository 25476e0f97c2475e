import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { formatEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'
import { giveV4, openGift, ownersPosition, setBaseFee } from './gifts.fixture.ts'

// The rule that lets ways home pass beyond the gas of a day, used to burn the owner's: by somebody who gives the wallet a
// position, or makes its own removals revert. Twenty turns burnt 3,912, 203 and 310 USD before.
const devnet = useDevnet()
const turns = 12
/** 40 of gas of ways home, and one call beyond it. */
const mostUsd = 80

it('G13: a gift that a hook shows to simulations alone pays for no gas', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const { positionId } = await openGift(devnet(), world, stranger, { giftUsd: '10000', waste: 6_000_000n, mode: 1 })
  const before = await world.balance('ETH')
  for (let turn = 0; turn < turns; turn += 1) {
    await setBaseFee(devnet(), 5_000_000_000n)
    await syncClock(world)
    await world.refuse('collect_fees', { positionId: `${positionId}`, version: 'v4' })
  }
  const burntUsd = Number(formatEther(before - (await world.balance('ETH')))) * 3_000
  await world.close()
  expect(burntUsd).toBeLessThanOrEqual(mostUsd)
})

it('G13: a gift of twenty dollars in a pool without fee or hook burns no more gas in a day than the policy says', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const small = await ownersPosition(world, stranger, 3_000, { WETH: '0.03', USDC: '90' })
  const key = v4Key(weth, usdc, 0, 60)
  const isWethFirst = key.currency0 === weth
  await stranger.initializeV4(
    key,
    isWethFirst ? sqrtPriceFromPrice('3000', 18, 6) : sqrtPriceFromPrice((1 / 3_000).toFixed(18), 6, 18),
  )
  const positionId = await stranger.mintV4(key, -887_220, 887_220, 182_574_185_835n)
  await giveV4(world, stranger, positionId)
  const before = await world.balance('ETH')
  const bare = world.network.fetch
  for (let turn = 0; turn < turns; turn += 1) {
    const had = await world.balance('WETH', stranger.address)
    await stranger.swapV4(key, !isWethFirst, parseUnits('3000', 6))
    const got = (await world.balance('WETH', stranger.address)) - had
    await setBaseFee(devnet(), 30_000_000_000n)
    await syncClock(world)
    let isDone = false
    world.network.fetch = async (request, init) => {
      const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
      if (isSending && !isDone) {
        isDone = true
        await stranger.swapV4(key, isWethFirst, got)
        await setBaseFee(devnet(), 30_000_000_000n)
      }
      return bare(request, init)
    }
    await world.refuse('remove_liquidity', { positionId: `${positionId}`, version: 'v4' })
    world.network.fetch = bare
    if (!isDone) await stranger.swapV4(key, isWethFirst, got)
  }
  const burntUsd = Number(formatEther(before - (await world.balance('ETH')))) * 3_000
  // What a stranger made others burn is gone from the budget that a small position needs to leave.
  await setBaseFee(devnet(), 5_000_000_000n)
  await syncClock(world)
  await world.call('remove_liquidity', { positionId: small })
  await world.close()
  expect(burntUsd).toBeLessThanOrEqual(mostUsd)
})

it('G13: removals that a stranger makes revert burn no more gas in a day than the policy says', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const positionId = await ownersPosition(world, stranger, 100, { WETH: '3', USDC: '9000' })
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const before = await world.balance('ETH')
  const bare = world.network.fetch
  for (let turn = 0; turn < turns; turn += 1) {
    await setBaseFee(devnet(), 30_000_000_000n)
    await syncClock(world)
    const had = await world.balance('USDC', stranger.address)
    let isDone = false
    world.network.fetch = async (request, init) => {
      const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
      if (isSending && !isDone) {
        isDone = true
        await stranger.swapV3(v3PathOf(weth, 100, usdc), parseUnits('2', 18))
        await setBaseFee(devnet(), 30_000_000_000n)
      }
      return bare(request, init)
    }
    await world.refuse('remove_liquidity', { positionId, slippageBps: 1 })
    world.network.fetch = bare
    const got = (await world.balance('USDC', stranger.address)) - had
    if (got > 0n) await stranger.swapV3(v3PathOf(usdc, 100, weth), got)
  }
  const burnt = before - (await world.balance('ETH'))
  const burntUsd = Number(formatEther(burnt)) * 3_000
  await world.close()
  expect(burntUsd).toBeLessThanOrEqual(mostUsd)
})
