import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, rpcUrl: devnet().rpcUrl, apiKey: 'local-key' })
})
afterEach(() => world.close())
afterAll(() => api.stop())

/** A trading API that writes addresses in lower case, as many services do. */
const inLowerCase: typeof globalThis.fetch = async (url, init) => {
  const response = await globalThis.fetch(url, init)
  if (!(typeof url === 'string' && url.endsWith('/swap'))) return response
  const answer = (await response.json()) as { swap: { to: string } }
  return Response.json({ ...answer, swap: { ...answer.swap, to: answer.swap.to.toLowerCase() } })
}

const openWith = async (fetch: typeof globalThis.fetch) => {
  const tradingApi = { apiKey: new Secret(api.apiKey), url: api.url, timeoutMs: 60_000, sleep: async () => {}, fetch }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  await syncClock(world)
}

const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.03' }

async function carryOut(): Promise<string> {
  const planned = await world.call('execute_swap', { ...swap, dryRun: true })
  const planId = planned.text('plan.planId')
  return world.call('execute_plan', { planId }).then((answer) => answer.text('status'), String)
}

it('a plan of the trading API is carried out whatever case its addresses have', async () => {
  await openWith(inLowerCase)
  expect((await carryOut()).slice(0, 600)).toBe('success')
})

it('a plan of the trading API is carried out where the route found here has become a unit better', async () => {
  let quotes = 0
  await openWith(async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (!(typeof url === 'string' && url.endsWith('/quote')) || ++quotes < 2) return response
    const answer = (await response.json()) as { quote: { output: { amount: string } } }
    const { quote } = answer
    // As much less as a stranger can make the own route better for some cents.
    const amount = `${BigInt(quote.output.amount) - 20_000n}`
    return Response.json({ ...answer, quote: { ...quote, output: { ...quote.output, amount } } })
  })
  expect((await carryOut()).slice(0, 600)).toBe('success')
})
