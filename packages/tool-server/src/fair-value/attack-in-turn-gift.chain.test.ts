import { useDevnet } from '@svc/devnet/testing'
import { priceFromSqrtPrice } from '@svc/lp-math'
import { v4StateViewAbi } from '@svc/amm/abis'
import { poolIdOf, type PoolKey } from '@svc/amm/liquidity'
import { type Hex, parseEther, parseTransaction, parseUnits, zeroAddress } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openAfter, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

async function priceOf(key: PoolKey): Promise<number> {
  const { stateView } = devnet().chain.amm.v4!
  const asked = { address: stateView, abi: v4StateViewAbi, functionName: 'getSlot0', args: [poolIdOf(key)] } as const
  const [sqrtPriceX96] = await world.client.readContract(asked)
  return priceFromSqrtPrice(sqrtPriceX96, 18, 6)
}

it('G4: native currency that a stranger gives between the steps of a move, in a block that another replaces, pays for nothing', async () => {
  const market = devnet().market.prices().ETH
  const pair = { token0: 'ETH', token1: 'USDC', version: 'v4', fee: 500 }
  const range = { priceLower: market * 0.998, priceUpper: market * 1.03 }
  const add = async (earlier: World) => {
    await syncClock(earlier)
    return earlier.call('add_liquidity', { ...pair, ...range, amount0: '2.6' })
  }
  const { outcome: opened, ...now } = await openAfter(devnet(), add, {
    mostUsd: 900_000,
    funds: { ETH: '130', USDC: '300000' },
  })
  world = now.world
  const stranger = await openStranger(devnet())
  const usdc = world.address('USDC')
  const key = v4Key(zeroAddress, usdc, 500, 10)
  await stranger.approve(devnet().chain.amm.universalRouter!.address, usdc)
  await syncClock(world)
  const before = await world.balance('ETH')
  const manager = devnet().chain.amm.v4!.positionManager.toLowerCase()
  const node = testClient(devnet())
  const { fetch } = world.network
  let calls = 0
  const raws: { to: string; raw: Hex }[] = []
  world.network.fetch = async (input, init) => {
    const [found] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    if (found === undefined) return fetch(input, init)
    const raw = found as `0x02${string}`
    const to = parseTransaction(raw).to?.toLowerCase() ?? ''
    raws.push({ to, raw })
    if (to !== manager) return fetch(input, init)
    calls += 1
    if (calls === 1) {
      const had = await stranger.balanceOf(zeroAddress)
      while ((await priceOf(key)) < market * 1.0125) await stranger.swapV4(key, false, parseUnits('12000', 6))
      const answer = await fetch(input, init)
      await stranger.swapV4(key, true, (await stranger.balanceOf(zeroAddress)) - had)
      // To the wallet itself.
      await node.request({
        method: 'eth_sendTransactionSync',
        params: [
          { from: stranger.address, to: world.wallet, value: `0x${parseEther('1.5').toString(16)}`, gas: '0x186a0' },
        ],
      } as never)
      return answer
    }
    const swap = raws.at(-2)!.raw
    await node.request({ method: 'anvil_reorg', params: [2, [[swap, 1]]] } as never)
    return fetch(input, init)
  }
  const refused = await world.refuse('rebalance_position', {
    positionId: opened.text('positionId'),
    version: 'v4',
    token0: 'ETH',
    priceLower: market * 0.997,
    priceUpper: market * 1.03,
    slippageBps: 140,
  })
  const leftUsd = (Number(before - (await world.balance('ETH'))) / 1e18) * market
  expect(calls).toBe(1)
  expect(refused).toMatchObject({ code: 'OPERATION_INCOMPLETE' })
  expect(leftUsd).toBeLessThan(500)
})
