import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openConcentrated, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a batch whose pool is pushed between plan and simulation, and back before it is mined, adds no more than the limits let out', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.0305', usdc: '2750' })
  const pair = { token0: 'USDC', token1: 'WBTC', fee: 500, version: 'v3', slippageBps: 150 }
  const pushTo = async (usd: number, isUp: boolean) => {
    const sqrtPriceLimitX96 = pool.isFirst
      ? sqrtPriceFromPrice(`${usd}`, 8, 6)
      : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 8)
    const router = devnet().chain.amm.v3!.swapRouter02
    const [tokenIn, tokenOut] = isUp ? [pool.usdc, pool.wbtc] : [pool.wbtc, pool.usdc]
    await stranger.approve(router, tokenIn)
    const amountIn = await stranger.balanceOf(tokenIn)
    const trade = { tokenIn, tokenOut, fee: pool.fee, recipient: stranger.address, amountIn }
    const args = [{ ...trade, amountOutMinimum: 0n, sqrtPriceLimitX96 }]
    await stranger.write(router, v3SwapRouter02Abi, 'exactInputSingle', args)
  }
  const large = await world.call('add_liquidity', { ...pair, priceLower: 1 / 89_700, priceUpper: 1 / 89_190, amount0: '45000' })
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate },
  })
  await syncClock(world)
  const before = await world.balance('USDC')
  const { fetch } = world.network
  let stage = 0
  world.network.fetch = async (input, init) => {
    const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
    if (stage === 0 && methods.includes('eth_maxPriorityFeePerGas')) {
      stage = 1
      await pushTo(91_250, true)
    }
    if (stage > 0 && methods.includes('eth_sendRawTransaction')) {
      stage += 1
      // An allowance goes out before the call.
      if (stage === 3) await pushTo(88_900, false)
    }
    return fetch(input, init)
  }
  const operations = [
    { type: 'remove', positionId: large.text('positionId'), params: { version: 'v3', slippageBps: 150 } },
    { type: 'add', params: { ...pair, priceLower: 1 / 80_000, priceUpper: 1 / 70_000, amount0: '44900' } },
  ]
  const answer = await world.call('batch_lp_operations', { operations }).catch((error: unknown) => `${error}`)
  console.log(JSON.stringify(answer).slice(0, 1500))
  const left = Number(before - (await world.balance('USDC'))) / 1e6
  console.log('left', left)
  // Above this a person must be asked.
  expect(left).toBeLessThan(250)
})
