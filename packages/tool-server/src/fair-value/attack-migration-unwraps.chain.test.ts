import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { Secret } from '@svc/wallet/core'
import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  numberToHex,
  parseAbiParameters,
} from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { universalRouterAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
afterEach(() => world.close())
afterAll(() => api.stop())

const unlock = parseAbiParameters('bytes, bytes[]')
const mintForm = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 most0, uint128 most1, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

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

/**
 * What is left of it lies in the position manager, where anybody takes it: between signature and block a stranger pushes the pool, so
 * that the new position takes less (1,149 USD of 36,000, where a day may lose 40).
 */
it('G13: a migration that unwraps more than the new position is sure to take is refused, and nothing is sent', async () => {
  world = await openTrading({ policy: { version: 1, approvalThresholdUsd: null } })
  const position = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'wide' }
  const opened = await world.call('add_liquidity', { ...position, amount0: '0.05' })
  const nonce = async () => await world.client.getTransactionCount({ address: world.wallet })
  const before = await nonce()
  const asked = { positionId: opened.text('positionId'), slippageTolerance: 250 }
  expect(await world.refuse('migrate_position', asked)).toMatchObject({ code: 'RECIPIENT_NOT_ALLOWED' })
  expect(await nonce()).toBe(before)
})
