import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi, v2RouterAbi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import { maxUint256, parseAbi, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const pairAbi = parseAbi(['function sync()', 'function skim(address to)'])

it('G13: a gift to a pair between simulation and block, taken back by a burn, uses up no budget and opens no breaker', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const v2 = devnet().chain.amm.v2!
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const pair = v2PairAddress(v2, ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)))
  await stranger.addV2(usdc, usdt, parseUnits('1000', 6), parseUnits('1000', 6))
  await syncClock(world)
  const before = await worthOf(world)
  beforeSending(world, 3, async () => {
    for (const token of [usdc, usdt]) await stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits('2000', 6)])
    await stranger.write(pair, pairAbi, 'sync', [])
  })
  await world.call('add_liquidity', { token0: 'USDC', token1: 'USDT', version: 'v2', amount0: '60', amount1: '60' })
  const shares = await stranger.balanceOf(pair)
  await stranger.write(pair, erc20Abi, 'approve', [v2.router, maxUint256])
  const burn = [usdc, usdt, shares, 0n, 0n, stranger.address, maxUint256] as const
  await stranger.write(v2.router, v2RouterAbi, 'removeLiquidity', burn)
  await syncClock(world)
  const safety = await world.call('check_safety_status')
  expect(safety.data).toMatchObject({ breaker: { open: false } })
  expect(Number(safety.at('valueUsd.lossAtMost.used'))).toBeLessThan(1)
  await world.call('remove_liquidity', { positionId: pair, version: 'v2' })
  expect(before - (await worthOf(world))).toBeLessThan(3)
  await world.close()
})

it('G13: what lies in a pair beside its reserves while a deposit is simulated makes up for no price that is off', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const v2 = devnet().chain.amm.v2!
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const pair = v2PairAddress(v2, ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)))
  await stranger.addV2(usdc, usdt, parseUnits('5000', 6), parseUnits('1500000', 6))
  await syncClock(world)
  const before = await worthOf(world)
  // The pair stands at its market price only once somebody takes in what lies there, and who gave it takes it out again.
  await stranger.write(usdc, erc20Abi, 'transfer', [pair, parseUnits('1495000', 6)])
  beforeSending(world, 1, async () => {
    await stranger.write(pair, pairAbi, 'skim', [stranger.address])
  })
  const deposit = { token0: 'USDC', token1: 'USDT', version: 'v2', amount0: '0.4' }
  expect(await world.refuse('add_liquidity', deposit)).toMatchObject({ code: 'POOL_PRICE_OFF_MARKET' })
  expect(before - (await worthOf(world))).toBeLessThan(1)
  await world.close()
})
