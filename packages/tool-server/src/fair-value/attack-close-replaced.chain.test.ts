import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, type Hex, keccak256, numberToHex, parseTransaction } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a close that fails in the block which replaces its own lets the next steps of the move take nothing of the wallet', async () => {
  const market = devnet().market.prices().ETH
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
  const range = { priceLower: market * 0.9, priceUpper: market * 1.1 }
  const limitsUsd = { perTransaction: '5000', perSession: '10000', daily: '20000' }
  const policy = { version: 1, limitsUsd, maxDailyLossUsd: '40', approvalThresholdUsd: null } as const
  const act = (before: World) => before.call('add_liquidity', { ...pair, ...range, amount0: '3.7' })
  const { world: limited, outcome: opened } = await openAfter(devnet(), act, { policy })
  world = limited
  const stranger = await openStranger(devnet())
  const { swapRouter02: router, positionManager } = devnet().chain.amm.v3!
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  await stranger.approve(router, weth, usdc)
  const pushed = (usd: number, isUp: boolean): Hex => {
    const sqrtPriceLimitX96 =
      BigInt(weth) < BigInt(usdc)
        ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
        : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
    const [tokenIn, tokenOut, amountIn] = isUp ? [usdc, weth, 9_000_000_000_000n] : [weth, usdc, 2_900n * 10n ** 18n]
    const recipient = stranger.address
    const swap = { tokenIn, tokenOut, fee: 500, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
    return encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'exactInputSingle', args: [swap] })
  }
  await syncClock(world)
  const worth = async () =>
    Number(await world.balance('USDC')) / 1e6 + (Number(await world.balance('WETH')) / 1e18) * market
  const before = await worth()
  const node = testClient(devnet())
  const nonce = await stranger.client.getTransactionCount({ address: stranger.address })
  const own = (at: number, data: Hex) => ({
    from: stranger.address,
    to: router,
    data,
    gas: '0x4c4b40',
    nonce: numberToHex(nonce + at),
    maxFeePerGas: '0x174876e800',
    maxPriorityFeePerGas: '0x174876e800',
  })
  let close: Hex | null = null
  let depth = 0
  const { fetch } = world.network
  world.network.fetch = async (input, init) => {
    const [found] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    if (found === undefined) return fetch(input, init)
    const to = parseTransaction(found as `0x02${string}`).to?.toLowerCase()
    if (to === positionManager.toLowerCase() && close === null) close = found as Hex
    if (to === router.toLowerCase() && close !== null && depth === 0) {
      const { blockNumber } = await stranger.client.getTransactionReceipt({ hash: keccak256(close) })
      depth = Number((await stranger.client.getBlockNumber()) - blockNumber) + 1
      const others = [own(0, pushed(market * 1.03, true)), close, own(1, pushed(market, false))]
      await node.request({ method: 'anvil_reorg', params: [depth, others.map((one) => [one, 0])] } as never)
    }
    return fetch(input, init)
  }
  const move = { version: 'v3', token0: 'WETH', priceLower: market * 0.89, priceUpper: market * 1.07 }
  await world.call('rebalance_position', { positionId: opened.text('positionId'), ...move }).catch(() => 'refused')
  expect(depth).toBe(1)
  expect(before - (await worth())).toBeLessThanOrEqual(5_000)
})
