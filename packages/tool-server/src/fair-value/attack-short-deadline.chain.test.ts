import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { universalRouterAbi } from '@svc/amm/abis'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, rpcUrl: devnet().rpcUrl, apiKey: 'local-key' })
})
afterEach(() => world.close())
afterAll(() => api.stop())

/** A trading API whose swaps are good for the next three seconds, which no block is mined in. */
const hurried: typeof globalThis.fetch = async (url, init) => {
  const response = await globalThis.fetch(url, init)
  if (!(typeof url === 'string' && url.endsWith('/swap'))) return response
  const answer = (await response.json()) as { swap: { data: Hex } }
  const { args } = decodeFunctionData({ abi: universalRouterAbi, data: answer.swap.data })
  const [commands, inputs] = args as readonly [Hex, readonly Hex[], bigint]
  const deadline = BigInt(Math.floor((Date.now() + world.clock.offsetMs) / 1000) + 3)
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [commands, inputs, deadline],
  })
  return Response.json({ ...answer, swap: { ...answer.swap, data } })
}

it('G9: a trading API does not open the breaker with calls that nobody can mine in time', async () => {
  const tradingApi = {
    apiKey: new Secret(api.apiKey),
    url: api.url,
    timeoutMs: 60_000,
    sleep: async () => {},
    fetch: hurried,
  }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const codes: string[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await syncClock(world)
    world.network.fetch = globalThis.fetch
    beforeSending(world, 1, () => nextIn(devnet(), stranger))
    const swap = { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.0005' }
    codes.push((await world.refuse('execute_swap', swap)).code)
  }
  expect(codes).not.toContain('TRANSACTION_REVERTED')
})
