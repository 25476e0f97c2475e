import { setTimeout } from 'node:timers/promises'
import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, type Hash, parseTransaction, toHex } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** By how much the pool is pushed for the one transaction: what its minimums allow. */
const pushed = 0.014

/** Half a million dollars just below the price, and nearly three times as much beside them; the server as it is by default. */
async function openBelow(): Promise<string> {
  const market = devnet().market.prices().ETH
  const range = { priceLower: market * 0.3, priceUpper: market * 1.004 }
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '50', amount1: '490000' }
  const add = async (before: World) => {
    await syncClock(before)
    return before.call('add_liquidity', { ...pair, ...range })
  }
  const options = { mostUsd: 4_000_000, funds: { WETH: '60', USDC: '1900000' } }
  const { outcome, ...now } = await openAfter(devnet(), add, options)
  world = now.world
  await syncClock(world)
  return outcome.text('positionId')
}

/** Sells ether until it costs so much, ahead of whatever waits with lower fees. */
async function pushFirst(from: Address, usd: number): Promise<void> {
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const isFirst = BigInt(weth) < BigInt(usdc)
  const sqrtPriceLimitX96 = isFirst
    ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
    : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
  const amountIn = await world.balance('WETH', from)
  const trade = { tokenIn: weth, tokenOut: usdc, fee: 500, recipient: from, amountIn, amountOutMinimum: 0n }
  const args = [{ ...trade, sqrtPriceLimitX96 }] as const
  const data = encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'exactInputSingle', args })
  const fees = { maxFeePerGas: toHex(10n ** 11n), maxPriorityFeePerGas: toHex(5n * 10n ** 10n), gas: toHex(3_000_000n) }
  const to = devnet().chain.amm.v3!.swapRouter02
  await testClient(devnet()).request<Send>({ method: 'eth_sendTransaction', params: [{ from, to, data, ...fees }] })
}

type Send = { Method: 'eth_sendTransaction'; Parameters: [unknown]; ReturnType: Hash }

/** The first transaction to the position manager is mined between a push and its end, in one block. */
async function sandwichClose(stranger: ChainActor): Promise<void> {
  const market = devnet().market.prices().ETH
  const { positionManager, swapRouter02 } = devnet().chain.amm.v3!
  await stranger.approve(swapRouter02, world.address('WETH'), world.address('USDC'))
  const node = testClient(devnet())
  const { fetch } = world.network
  const pending = () => stranger.client.getTransactionCount({ address: stranger.address, blockTag: 'pending' })
  const until = async (count: number) => {
    while ((await pending()) < count) await setTimeout(10)
  }
  let isDone = false
  world.network.fetch = async (input, init) => {
    const [raw] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    const to = raw === undefined ? null : parseTransaction(raw as `0x02${string}`).to
    if (isDone || to?.toLowerCase() !== positionManager.toLowerCase()) return fetch(input, init)
    isDone = true
    const sent = await pending()
    await node.setAutomine(false)
    await pushFirst(stranger.address, market * (1 - pushed))
    await until(sent + 1)
    const answer = await fetch(input, init)
    const back = pushTo(world, stranger, market, true)
    await until(sent + 2)
    await node.mine({ blocks: 1 })
    await node.setAutomine(true)
    await back
    return answer
  }
}

it('G4: a position that is closed, swapped and opened in turn takes no more out of the wallet than one transaction may spend', async () => {
  const positionId = await openBelow()
  const market = devnet().market.prices().ETH
  await sandwichClose(await openStranger(devnet()))
  const before = await world.balance('USDC')
  const range = { token0: 'WETH', priceLower: market * 0.33, priceUpper: market * 1.004 }
  await world
    .call('rebalance_position', { positionId, version: 'v3', ...range, slippageBps: pushed * 10_000 + 3 })
    .catch(() => null)
  const leftUsd = Number(before - (await world.balance('USDC'))) / 1e6
  // As much as one transaction may spend by default; a person is asked above half of that.
  expect(leftUsd).toBeLessThan(500)
})
