import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openConcentrated, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a batch whose own swap moves the pool between taking out and putting back adds no more than the limits let out', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.0305', usdc: '2750' })
  const pair = { token0: 'WBTC', token1: 'USDC', fee: 500, version: 'v3', slippageBps: 100 }
  const range = { priceLower: 90_570, priceUpper: 90_660 }
  const large = await world.call('add_liquidity', { ...pair, ...range, amount0: '0.5' })
  const small = await world.call('add_liquidity', { ...pair, priceLower: 95_000, priceUpper: 97_000, amount0: '0.0045' })
  const pushTo = async (usd: number) => {
    const sqrtPriceLimitX96 = pool.isFirst
      ? sqrtPriceFromPrice(`${usd}`, 8, 6)
      : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 8)
    const router = devnet().chain.amm.v3!.swapRouter02
    await stranger.approve(router, pool.usdc)
    const amountIn = await stranger.balanceOf(pool.usdc)
    const trade = { tokenIn: pool.usdc, tokenOut: pool.wbtc, fee: pool.fee, recipient: stranger.address, amountIn }
    const args = [{ ...trade, amountOutMinimum: 0n, sqrtPriceLimitX96 }]
    await stranger.write(router, v3SwapRouter02Abi, 'exactInputSingle', args)
  }
  await pushTo(90_500)
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate },
  })
  await syncClock(world)
  const before = await world.balance('WBTC')
  beforeSending(world, 1, () => pushTo(90_720))
  const operations = [
    { type: 'remove', positionId: large.text('positionId'), params: { version: 'v3', slippageBps: 100 } },
    {
      type: 'rebalance',
      positionId: small.text('positionId'),
      params: { version: 'v3', token0: 'WBTC', priceLower: 60_000, priceUpper: 130_000, slippageBps: 100 },
    },
    { type: 'add', params: { ...pair, ...range, amount0: '0.499' } },
  ]
  const answer = await world.call('batch_lp_operations', { operations }).catch((error: unknown) => `${error}`)
  console.log(JSON.stringify(answer), JSON.stringify(await world.call('check_safety_status')))
  const left = (Number(before - (await world.balance('WBTC'))) / 1e8) * 90_000
  console.log('left', left)
  // Above this a person must be asked.
  expect(left).toBeLessThan(250)
})
