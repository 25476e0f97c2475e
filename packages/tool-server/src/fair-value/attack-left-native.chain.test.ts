import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erc20Abi, v3PositionManagerAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { type Address, encodeFunctionData, parseAbi, parseEther, zeroAddress } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { type ChainActor, v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { encodeModifyLiquidities, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import { beforeSending, methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const refundAbi = parseAbi(['function refundETH() payable'])
const multicallAbi = parseAbi(['function multicall(bytes[] data) payable returns (bytes[] results)'])
const sweepAbi = parseAbi(['function sweepToken(address token, uint256 amountMinimum, address recipient) payable'])

/** What a stranger puts into the position manager of a version, and takes out again. */
async function leftIn(version: 'v3' | 'v4', stranger: ChainActor) {
  const { v3, v4 } = devnet().chain.amm
  const to = version === 'v3' ? v3!.positionManager : v4!.positionManager
  const usdc = world.address('USDC')
  const bothPaid = encodeModifyLiquidities([v4Action.sweepToCaller(zeroAddress), v4Action.sweepToCaller(usdc)], 2 ** 40)
  const takes =
    version === 'v3'
      ? [
          encodeFunctionData({ abi: refundAbi, functionName: 'refundETH' }),
          encodeFunctionData({ abi: sweepAbi, functionName: 'sweepToken', args: [usdc, 0n, stranger.address] }),
        ]
      : [bothPaid]
  await stranger.write(to, multicallAbi, 'multicall', [[]], parseEther('19'))
  await stranger.write(usdc, erc20Abi, 'transfer', [to, 1_000_000_000n])
  return () => stranger.write(to, multicallAbi, 'multicall', [takes])
}

it.each([
  ['v3', 'WETH'],
  ['v4', 'ETH'],
] as const)(
  'G4: what a stranger leaves in the position manager of %s pays for nothing that the wallet adds',
  async (version, token0) => {
    const all = '1000000'
    const limitsUsd = { perTransaction: all, perSession: all, daily: all }
    world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
    const pair = { token0, token1: 'USDC', fee: 500, version }
    const market = devnet().market.prices().ETH
    const range = { priceLower: market * 0.8, priceUpper: market * 1.25 }
    const small = await world.call('add_liquidity', { ...pair, ...range, amount0: '0.01' })
    const { privateKey } = world.again
    await world.close()
    const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
    const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
    world = await openWorld(devnet(), {
      again: { dataDir, privateKey },
      policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate },
    })
    const stranger = await openStranger(devnet())
    await syncClock(world)
    const before = await world.balance(token0)
    // The position manager pays for wrapped currency with what it holds of native currency, and hands that out to whoever asks.
    const takeBack = await leftIn(version, stranger)
    beforeSending(world, 1, async () => {
      await takeBack()
    })
    const operations = [
      { type: 'remove', positionId: small.text('positionId'), params: { version, percentage: 50 } },
      { type: 'add', params: { ...pair, priceLower: market * 1.05, priceUpper: market * 1.3, amount0: '18' } },
    ]
    expect(await world.refuse('batch_lp_operations', { operations })).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    expect((Number(before - (await world.balance(token0))) / 1e18) * market).toBeLessThan(250)
    // It was there, and the stranger gets all of it back.
    const held = await stranger.balanceOf(world.address('USDC'))
    await takeBack()
    expect((await stranger.balanceOf(world.address('USDC'))) - held).toBe(1_000_000_000n)
  },
)

it('G4: fees that wait in a position and stay there make up for nothing that the wallet adds', async () => {
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
  const stranger = await openStranger(devnet())
  const market = devnet().market.prices().ETH
  const { positionManager } = devnet().chain.amm.v3!
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const [token0, token1]: [Address, Address] = BigInt(weth) < BigInt(usdc) ? [weth, usdc] : [usdc, weth]
  const price =
    token0 === weth ? sqrtPriceFromPrice(`${market}`, 18, 6) : sqrtPriceFromPrice((1 / market).toFixed(18), 6, 18)
  const create = [token0, token1, 10_000, price] as const
  await stranger.write(positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', create)
  const pair = { token0: 'WETH', token1: 'USDC', fee: 10_000, version: 'v3' }
  const opened = await world.call('add_liquidity', {
    ...pair,
    priceLower: market * 0.5,
    priceUpper: market * 2,
    amount0: '12',
  })
  // Honest fees of many days: traded there and back.
  for (let round = 0; round < 15; round += 1) {
    const held = await stranger.balanceOf(usdc)
    await stranger.swapV3(v3PathOf(weth, 10_000, usdc), parseEther('50'))
    await stranger.swapV3(v3PathOf(usdc, 10_000, weth), (((await stranger.balanceOf(usdc)) - held) * 10_101n) / 10_000n)
  }
  await testClient(devnet()).mine({ blocks: 5 })
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' } },
  })
  await syncClock(world)
  const before = await world.balance('WETH')
  await stranger.write(positionManager, v3PositionManagerAbi, 'multicall', [[]], parseEther('19'))
  beforeSending(world, 2, async () => {
    await stranger.write(positionManager, refundAbi, 'refundETH', [])
  })
  const operations = [
    {
      type: 'remove',
      positionId: opened.text('positionId'),
      params: { version: 'v3', percentage: 1, collectFees: false, slippageBps: 500 },
    },
    { type: 'add', params: { ...pair, priceLower: market * 1.1, priceUpper: market * 1.6, amount0: '0.55' } },
  ]
  await world.call('batch_lp_operations', { operations }).catch(() => 'refused')
  const left = (Number(before - (await world.balance('WETH'))) / 1e18) * market
  expect(left).toBeLessThan(250)
})

it('G9: native currency that lies in the router while a swap is simulated, and no longer when it is mined, opens no breaker', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const { swapRouter02 } = devnet().chain.amm.v3!
  await syncClock(world)
  const held = await stranger.balanceOf(zeroAddress)
  await stranger.write(swapRouter02, v3SwapRouter02Abi, 'multicall', [2n ** 255n, []], parseEther('0.1'))
  let sent = 0
  world.network.fetch = async (input, init) => {
    const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
    // Behind the approval, before the swap.
    if (isSending && ++sent === 2) await stranger.write(swapRouter02, refundAbi, 'refundETH', [])
    return fetch(input, init)
  }
  await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.07', version: 'v3' })
  world.network.fetch = fetch
  const cost = held - (await stranger.balanceOf(zeroAddress))
  // Two transactions.
  expect(cost).toBeLessThan(parseEther('0.001'))
  expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
})

it('G9: nor does the wrapped currency that lies there when a swap into native currency is simulated', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const { swapRouter02 } = devnet().chain.amm.v3!
  await syncClock(world)
  await stranger.write(world.address('WETH'), erc20Abi, 'transfer', [swapRouter02, parseEther('0.03')])
  let sent = 0
  world.network.fetch = async (input, init) => {
    const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
    if (isSending && ++sent === 2) {
      const all = [world.address('WETH'), 0n, stranger.address] as const
      await stranger.write(swapRouter02, sweepAbi, 'sweepToken', all)
    }
    return fetch(input, init)
  }
  await world.call('execute_swap', { tokenIn: 'USDC', tokenOut: 'ETH', amount: '100', version: 'v3' })
  world.network.fetch = fetch
  expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
})

it('G4: nor does it make a swap of 200 dollars count as one of 500', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const { swapRouter02 } = devnet().chain.amm.v3!
  await stranger.write(world.address('WETH'), erc20Abi, 'transfer', [swapRouter02, parseEther('0.1')])
  const swap = { tokenIn: 'USDC', tokenOut: 'ETH', amount: '200', version: 'v3' }
  const planned = await world.call('execute_swap', { ...swap, dryRun: true })
  expect(planned.at('plan.policy')).toMatchObject({ allowed: true, conditions: [] })
  expect(Number(planned.text('plan.spendUsd'))).toBeLessThan(205)
})
