import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { getLiquidityForAmount1, getSqrtPriceAtTick, getTickAtSqrtPrice, sqrtPriceFromPrice } from '@svc/lp-math'
import { Secret } from '@svc/wallet/core'
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { universalRouterAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { type ChainActor, v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, rpcUrl: devnet().rpcUrl, apiKey: 'local-key' })
})
afterEach(() => world.close())
afterAll(() => api.stop())

const caller = '0x0000000000000000000000000000000000000001'
const itself = '0x0000000000000000000000000000000000000002'
const whole = 2n ** 255n
const v3Form = parseAbiParameters('address, uint256, uint256, bytes, bool')
const sweepForm = parseAbiParameters('address, address, uint256')
const unlock = parseAbiParameters('bytes, bytes[]')
const singleForm = parseAbiParameters([
  'Single single',
  'struct Single { PoolKey key; bool zeroForOne; uint128 amountIn; uint128 least; bytes hookData; }',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

type Key = { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address }

/**
 * A trading API whose calldata makes sure of what was promised where it unwraps it into the router, and then trades all of it there and
 * back through a pool of a stranger's.
 */
function thereAndBack(key: Key, usdc: Address, weth: Address): typeof globalThis.fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (!(typeof url === 'string' && url.endsWith('/swap'))) return response
    const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      quote: { input: { amount: string }; output: { amount: string }; slippage: number }
      deadline: number
    }
    const answer = (await response.json()) as { swap: { data: Hex } }
    const { input, output, slippage } = asked.quote
    const least = (BigInt(output.amount) * BigInt(Math.round(10_000 - slippage * 100))) / 10_000n
    const path = v3PathOf(usdc, 500, weth)
    const actions = encodeAbiParameters(unlock, [
      '0x0b060e',
      [
        encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [zeroAddress, whole, false]),
        encodeAbiParameters(singleForm, [{ key, zeroForOne: true, amountIn: 0n, least: 0n, hookData: '0x' }]),
        encodeAbiParameters(sweepForm, [usdc, itself, 0n]),
      ],
    ])
    const inputs = [
      encodeAbiParameters(v3Form, [itself, BigInt(input.amount), 0n, path, true]),
      encodeAbiParameters(parseAbiParameters('address, uint256'), [itself, least]),
      actions,
      encodeAbiParameters(v3Form, [caller, whole, 0n, path, false]),
      ...[zeroAddress, usdc, weth].map((token) => encodeAbiParameters(sweepForm, [token, caller, 0n])),
    ]
    const data = encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: ['0x000c1000040404', inputs, BigInt(asked.deadline)],
    })
    return Response.json({ ...answer, swap: { ...answer.swap, data, value: '0' } })
  }
}

/** A pool of the stranger's that pays a little more for ether than the market, for some hundred dollars, and hardly anything beside. */
async function openLure(stranger: ChainActor, key: Key, market: number): Promise<() => Promise<void>> {
  const upper = Math.ceil(getTickAtSqrtPrice(sqrtPriceFromPrice((market * 1.004).toFixed(6), 18, 6)) / 200) * 200
  const [sqrtA, sqrtB] = [getSqrtPriceAtTick(upper - 200), getSqrtPriceAtTick(upper)]
  await stranger.initializeV4(key, sqrtB)
  await stranger.mintV4(key, -800_000, 800_000, 200_000_000n)
  const liquidity = getLiquidityForAmount1(sqrtA, sqrtB, 5_000_000_000n)
  const id = await stranger.mintV4(key, upper - 200, upper, liquidity)
  return async () => {
    const data = encodeAbiParameters(unlock, [
      '0x0111',
      [
        encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
          id,
          liquidity,
          0n,
          0n,
          '0x',
        ]),
        encodeAbiParameters(parseAbiParameters('address, address, address'), [
          key.currency0,
          key.currency1,
          stranger.address,
        ]),
      ],
    ])
    const manager = devnet().chain.amm.v4!.positionManager
    await stranger.write(manager, v4PositionManagerAbi, 'modifyLiquidities', [data, 2n ** 255n])
  }
}

it('G13: what a trade of the trading API makes sure of is what arrives, and not what passes through the router', async () => {
  const address = (symbol: string) => devnet().tokens.find((token) => token.symbol === symbol)!.address
  const [usdc, weth] = [address('USDC'), address('WETH')]
  const key: Key = { currency0: zeroAddress, currency1: usdc, fee: 0, tickSpacing: 200, hooks: zeroAddress }
  const tradingApi = {
    apiKey: new Secret(api.apiKey),
    url: api.url,
    timeoutMs: 60_000,
    sleep: async () => {},
    fetch: thereAndBack(key, usdc, weth),
  }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const takeAway = await openLure(stranger, key, devnet().market.prices().ETH)
  await syncClock(world)
  const before = await worthOf(world)
  // One approval of the token and one of Permit2 go out before the trade itself.
  let hasLeft = false
  beforeSending(world, 3, async () => {
    hasLeft = true
    await takeAway()
  })
  const traded = await world
    .call('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '240' })
    .then((answer) => answer.text('status'), String)
  const lost = before - (await worthOf(world))
  await syncClock(world)
  const breaker = (await world.call('check_safety_status')).at('breaker.stops')
  // Refused, or held to what it promised.
  expect({ hasLeft, traded, breaker, isLost: lost > 41 }).toMatchObject({ breaker: 'nothing', isLost: false })
})
