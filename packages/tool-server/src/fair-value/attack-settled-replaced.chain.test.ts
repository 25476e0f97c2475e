import { sqrtPriceFromPrice } from '@svc/lp-math'
import { erc20Abi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, type Hex, keccak256, numberToHex } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
let pooled = 500
afterEach(() => world.close())

/** Of the v3 pool WETH/USDC of 0.05 %, as calldata of a stranger who trades until an ether costs so much there. */
function pushed(usd: number, isUp: boolean): Hex {
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const isFirst = BigInt(weth) < BigInt(usdc)
  const sqrtPriceLimitX96 = isFirst
    ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
    : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
  const [tokenIn, tokenOut, amountIn] = isUp ? [usdc, weth, 9_000_000_000_000n] : [weth, usdc, 2_900n * 10n ** 18n]
  const recipient = devnet().accounts[9]!.address
  const swap = { tokenIn, tokenOut, fee: pooled, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
  return encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'exactInputSingle', args: [swap] })
}

it.each([1, 3])(
  'G13: a trade that failed in a block which another replaces has lost what it loses there (%i confirmations)',
  async (confirmations) => {
    const limitsUsd = { perTransaction: '5000', perSession: '10000', daily: '20000' }
    world = await openWorld(devnet(), {
      chain: { confirmations },
      policy: { version: 1, limitsUsd, maxDailyLossUsd: '40', approvalThresholdUsd: null },
    })
    const stranger = await openStranger(devnet())
    const node = testClient(devnet())
    const market = devnet().market.prices().ETH
    const router = devnet().chain.amm.v3!.swapRouter02
    await stranger.approve(router, world.address('WETH'), world.address('USDC'))
    await syncClock(world)
    const before = await worthOf(world)
    let deepest = 0
    const codes: string[] = []
    for (let round = 0; round < 4; round += 1) {
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
      const raws: Hex[] = []
      world.network.fetch = async (input, init) => {
        const body = typeof init?.body === 'string' ? init.body : ''
        if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
        const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
        raws.push(raw as Hex)
        if (raws.length === 3) {
          // The allowance is to be taken back now; the block of the trade is just as old as it has to be to count as final.
          const trades = [own(0, pushed(market * 1.0083, true)), raws[1], own(1, pushed(market, false))]
          const hash = keccak256(raws[1]!)
          const { blockNumber } = await stranger.client.getTransactionReceipt({ hash })
          const depth = Number((await stranger.client.getBlockNumber()) - blockNumber) + 1
          deepest = Math.max(deepest, depth)
          await node.request({ method: 'anvil_reorg', params: [depth, trades.map((one) => [one, 0])] } as never)
        }
        if (raws.length === 2) {
          const [, fee] = raws[1]!.split(world.address('WETH').slice(2).toLowerCase())
          pooled = Number(`0x${fee!.slice(0, 64)}`)
          await node.setAutomine(false)
          await node.request({ method: 'eth_sendTransaction', params: [own(0, pushed(market * 1.04, true))] } as never)
        }
        const answer = await fetch(input, init)
        await node.setAutomine(true)
        await node.mine({ blocks: raws.length === 2 ? Math.max(1, confirmations - 1) : confirmations - 1 })
        return answer
      }
      const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '2200', version: 'v3', slippageBps: 90 }
      codes.push((await world.refuse('execute_swap', swap)).code)
      world.network.fetch = fetch
      await syncClock(world)
    }
    const lost = before - (await worthOf(world))
    expect(deepest).toBeLessThanOrEqual(Math.max(2, confirmations))
    expect(lost).toBeLessThanOrEqual(40)
    expect(codes).toEqual(['TRANSACTION_REVERTED', ...Array.from({ length: 3 }, () => 'VALUE_LOSS_EXCEEDED')])
    await node.mine({ blocks: 5 })
    await syncClock(world)
    await world.executor.reconcile()
    const counted = Number((await world.call('check_safety_status')).text('valueUsd.lossAtMost.used'))
    expect(counted).toBeGreaterThanOrEqual(lost)
  },
)

it('G6: an allowance that a replaced block had used up is taken back', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, approvalThresholdUsd: null } })
  const stranger = await openStranger(devnet())
  const node = testClient(devnet())
  const market = devnet().market.prices().ETH
  const router = devnet().chain.amm.v3!.swapRouter02
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  await stranger.approve(router, weth, usdc)
  await syncClock(world)
  const raws: Hex[] = []
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const [raw] = methodsIn(body).includes('eth_sendRawTransaction') ? (body.match(/0x02[0-9a-f]+/) ?? []) : []
    if (raw !== undefined) raws.push(raw as Hex)
    return fetch(input, init)
  }
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '400', version: 'v3' }
  expect((await world.call('execute_swap', swap)).text('status')).toBe('success')
  world.network.fetch = fetch
  const [, fee] = raws[1]!.split(weth.slice(2).toLowerCase())
  pooled = Number(`0x${fee!.slice(0, 64)}`)
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
  const others = [own(0, pushed(market * 1.04, true)), raws[1], own(1, pushed(market, false))]
  await node.request({
    method: 'anvil_reorg',
    params: [2, [[raws[0], 0], ...others.map((one) => [one, 1])]],
  } as never)
  await syncClock(world)
  await world.executor.reconcile()
  await world.call('execute_swap', { ...swap, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.01' })
  const allowance = await world.client.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [world.wallet, router],
  })
  expect(allowance).toBe(0n)
})
