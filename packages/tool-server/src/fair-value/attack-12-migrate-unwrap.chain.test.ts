import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { getAmountsForLiquidity, getSqrtPriceAtTick, sqrtPriceFromPrice } from '@svc/lp-math'
import { Secret } from '@svc/wallet/core'
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { universalRouterAbi, v3PositionManagerAbi, v4PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import { poolIdOf } from '@svc/amm/liquidity'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openStranger, syncClock, worthOf } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
afterEach(() => world.close())
afterAll(() => api.stop())

const strict = { version: 1, allowlist: { mode: 'strict' } } as const
const unlock = parseAbiParameters('bytes, bytes[]')
const mintForm = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 most0, uint128 most1, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

/** What the new position takes, as the calldata fixes it. */
let minted: { readonly ticks: readonly [bigint, bigint]; readonly liquidity: bigint; readonly unwraps: bigint }

/** A trading API that unwraps a fixed amount: what the new position takes now, and no more than that is asked back as native currency. */
const fixedUnwrap: typeof globalThis.fetch = async (url, init) => {
  const response = await globalThis.fetch(url, init)
  const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as { outputSqrtRatioX96: string }
  const answer = (await response.json()) as { migrate: { data: Hex } }
  const [commands, inputs, deadline] = decodeFunctionData({ abi: universalRouterAbi, data: answer.migrate.data })
    .args as readonly [Hex, readonly Hex[], bigint]
  const at = [...hexToBytes(commands)].indexOf(0x14)
  const { args } = decodeFunctionData({ abi: v4PositionManagerAbi, data: inputs[at]! })
  const [unlockData, until] = args as readonly [Hex, bigint]
  const [actions, params] = decodeAbiParameters(unlock, unlockData)
  const codes = [...hexToBytes(actions)]
  const [, lower, upper, liquidity] = decodeAbiParameters(mintForm, params[codes.indexOf(0x02)]!)
  const ticks = [getSqrtPriceAtTick(lower), getSqrtPriceAtTick(upper)] as const
  const { amount0 } = getAmountsForLiquidity(BigInt(asked.outputSqrtRatioX96), ...ticks, liquidity, true)
  minted = { ticks, liquidity, unwraps: amount0 }
  const changed = params.map((one, index) =>
    codes[index] === 0x16 ? encodeAbiParameters(parseAbiParameters('uint256'), [amount0]) : one,
  )
  const modify = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [
      encodeAbiParameters(unlock, [concatHex(codes.map((code) => numberToHex(code, { size: 1 }))), changed]),
      until,
    ],
  })
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [commands, inputs.map((one, index) => (index === at ? modify : one)), deadline],
  })
  return Response.json({ ...answer, migrate: { ...answer.migrate, data } })
}

const openTrading = (policy: Parameters<typeof openWorld>[1] = {}) => {
  const tradingApi = {
    apiKey: new Secret(api.apiKey),
    url: api.url,
    timeoutMs: 60_000,
    sleep: async () => {},
    fetch: fixedUnwrap,
  }
  return openWorld(devnet(), { tradingApi, ...policy })
}

/** Gas left out, with the new position at the market's prices. */
async function tokensUsd(): Promise<number> {
  const eth = Number(await world.balance('ETH')) / 1e18
  return (await worthOf(world)) - eth * devnet().market.prices().ETH
}

async function priceV4(stranger: ChainActor, id: Hex): Promise<readonly [bigint, bigint]> {
  const address = devnet().chain.amm.v4!.stateView
  const [sqrt] = await stranger.client.readContract({
    address,
    abi: v4StateViewAbi,
    functionName: 'getSlot0',
    args: [id],
  })
  const liquidity = await stranger.client.readContract({
    address,
    abi: v4StateViewAbi,
    functionName: 'getLiquidity',
    args: [id],
  })
  return [sqrt, liquidity]
}

it('G13: a migration whose calls unwrap a fixed amount leaves nothing that a stranger takes', async () => {
  const all = '1000000'
  world = await openTrading({
    policy: {
      version: 1,
      limitsUsd: { perTransaction: all, perSession: all, daily: all },
      approvalThresholdUsd: null,
    },
    funds: { WETH: '10', USDC: '60000' },
  })
  const worthBefore = await tokensUsd()
  const opened = await world.call('add_liquidity', {
    token0: 'WETH',
    token1: 'USDC',
    fee: 500,
    rangeStrategy: 'wide',
    amount0: '6',
  })
  const positionId = opened.text('positionId')
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openTrading({ again: { dataDir, privateKey }, policy: strict })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const usdc = world.address('USDC')
  const key = v4Key(zeroAddress, usdc, 500, 10)
  const id = poolIdOf(key)
  const market = devnet().market.prices().ETH
  const manager = devnet().chain.amm.v4!.positionManager
  const v3Row = await stranger.client.readContract({
    address: devnet().chain.amm.v3!.positionManager,
    abi: v3PositionManagerAbi,
    functionName: 'positions',
    args: [BigInt(positionId)],
  })
  const [, , token0, , , lower3, upper3, liquidity3] = v3Row
  const isWethFirst = (token0 as Address).toLowerCase() === world.address('WETH').toLowerCase()
  const paidAt = (usd: number): { weth: bigint; usdc: bigint } => {
    const sqrt = isWethFirst
      ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
      : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
    const one = getAmountsForLiquidity(sqrt, getSqrtPriceAtTick(lower3), getSqrtPriceAtTick(upper3), liquidity3, false)
    return isWethFirst ? { weth: one.amount0, usdc: one.amount1 } : { weth: one.amount1, usdc: one.amount0 }
  }
  beforeSending(world, 1, async () => {
    // v3 is pushed up as far as it still pays what is unwrapped.
    let [low, high] = [market, market * 1.3]
    for (let turn = 0; turn < 60; turn += 1) {
      const middle = (low + high) / 2
      if (paidAt(middle).weth > (minted.unwraps * 10_002n) / 10_000n) low = middle
      else high = middle
    }
    const before3 = (await priceV4(stranger, id))[0]
    await pushTo(world, stranger, low, true)
    const room = (paidAt(low).usdc * 9_998n) / 10_000n
    // v4 is pushed up as far as the new position can be paid for, within the bounds of its calldata.
    const usdcAt = (sqrt: bigint) => getAmountsForLiquidity(sqrt, ...minted.ticks, minted.liquidity, true).amount1
    let [near, far] = [before3, (before3 * 10_120n) / 10_000n]
    for (let turn = 0; turn < 60; turn += 1) {
      const middle = (near + far) / 2n
      if (usdcAt(middle) < room) near = middle
      else far = middle
    }
    for (let turn = 0; turn < 12; turn += 1) {
      const [sqrt, liquidity] = await priceV4(stranger, id)
      if (sqrt * 100_001n >= near * 100_000n) break
      const amount = ((((near - sqrt) * liquidity) >> 96n) * 10_006n) / 10_000n + 1n
      const bounded = amount > 400_000_000_000n ? 400_000_000_000n : amount
      await stranger.swapV4(key, false, bounded)
    }
  })
  const migrated = await world.call('migrate_position', { positionId, slippageTolerance: 250 }).then(
    (one) => one,
    (error: unknown) => String(error),
  )
  if (typeof migrated === 'string') throw new Error(migrated)
  const left = await stranger.client.getBalance({ address: manager })
  if (left > 0n) {
    const sweep = encodeAbiParameters(unlock, [
      '0x14',
      [encodeAbiParameters(parseAbiParameters('address, address'), [zeroAddress, stranger.address])],
    ])
    const [{ timestamp }] = [await stranger.client.getBlock()]
    await stranger.write(manager, v4PositionManagerAbi, 'modifyLiquidities', [sweep, timestamp + 500n])
  }
  // The stranger takes his pushes back.
  await pushTo(world, stranger, market, false)
  const back = (await stranger.client.getBalance({ address: stranger.address })) / 2n
  for (let turn = 0; turn < 12; turn += 1) {
    const [sqrt, liquidity] = await priceV4(stranger, id)
    const target = sqrtPriceFromPrice(market.toFixed(6), 18, 6)
    if (sqrt <= target) break
    const amount = ((liquidity << 96n) * (sqrt - target)) / sqrt / target + 1n
    await stranger.swapV4(key, true, amount > back ? back : amount)
  }
  await syncClock(world)
  if (typeof migrated !== 'string') {
    await world.call('remove_liquidity', { positionId: migrated.text('newPositionId'), version: 'v4' })
  } else {
    await world.call('remove_liquidity', { positionId, version: 'v3' })
  }
  // Native currency came home, too: gas is some cents.
  const ethNow = Number(await world.balance('ETH')) / 1e18
  const after = (await tokensUsd()) + (ethNow - 20) * market
  expect(worthBefore - after).toBeLessThan(41)
})
