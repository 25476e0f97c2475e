import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex, pad, toFunctionSelector } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { calls, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
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
const ten = 100_000n

/**
 * A trading API whose trade makes sure of what was promised, leaves it with the older router while ten cents go through a token of a
 * stranger's and back, and only then has it paid out, whatever is left.
 */
function throughForeignCode(wallet: () => Address): typeof globalThis.fetch {
  const address = (symbol: string) => devnet().tokens.find((token) => token.symbol === symbol)!.address
  return async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (!(typeof url === 'string' && url.endsWith('/swap'))) return response
    const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      quote: { input: { amount: string }; output: { amount: string }; slippage: number }
      deadline: number
    }
    const answer = (await response.json()) as { swap: { data: Hex } }
    const { input, output, slippage } = asked.quote
    const [usdc, weth, hostile] = [address('USDC'), address('WETH'), address('HOSTILE')]
    const amountOutMinimum = (BigInt(output.amount) * BigInt(Math.round(10_000 - slippage * 100))) / 10_000n
    const abi = v3SwapRouter02Abi
    const trade = {
      tokenIn: usdc,
      tokenOut: weth,
      fee: 500,
      recipient: itself,
      amountIn: BigInt(input.amount) - ten,
      amountOutMinimum,
      sqrtPriceLimitX96: 0n,
    } as const
    const path = v3PathOf(usdc, 10_000, hostile, 10_000, usdc)
    const detour = { path, recipient: caller, amountIn: ten, amountOutMinimum: 0n } as const
    const parts = [
      encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [trade] }),
      encodeFunctionData({ abi, functionName: 'exactInput', args: [detour] }),
      encodeFunctionData({ abi, functionName: 'sweepToken', args: [weth, 0n, wallet()] }),
    ]
    const data = encodeFunctionData({ abi, functionName: 'multicall', args: [BigInt(asked.deadline), parts] })
    const to = devnet().chain.amm.v3!.swapRouter02
    return Response.json({ ...answer, swap: { ...answer.swap, to, data, value: '0' } })
  }
}

/** Bytecode that has the router pay all that it holds of a token to somebody. */
function sweeps(router: Address, token: Address, to: Address): string {
  const selector = toFunctionSelector('sweepToken(address,uint256,address)').slice(2).padEnd(64, '0')
  const word = (address: Address) => pad(address).slice(2)
  const data = `7f${selector}6000527f${word(token)}60045260006024527f${word(to)}604452`
  return `${data}6000600060646000600073${router.slice(2)}5af150`
}

it('G13: what a trade brings is out of the reach of code that runs before it is paid out', async () => {
  const tradingApi = {
    apiKey: new Secret(api.apiKey),
    url: api.url,
    timeoutMs: 60_000,
    sleep: async () => {},
    fetch: throughForeignCode(() => world.wallet),
  }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const before = await worthOf(world)
  const restore: (() => Promise<void>)[] = []
  let isTurned = false
  beforeSending(world, 2, async () => {
    isTurned = true
    const evil = sweeps(devnet().chain.amm.v3!.swapRouter02, world.address('WETH'), stranger.address)
    const condition = calls('function transfer(address,uint256)')
    const token = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
    restore.push(await turnToken(token, { condition, evil, goesOn: true }))
  })
  const traded = await world
    .call('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '240' })
    .then((answer) => answer.text('status'), String)
  for (const back of restore) await back()
  const lost = before - (await worthOf(world))
  // Refused, or held to what it promised.
  expect({ isTurned, traded, isLost: lost > 41 }).toMatchObject({ isLost: false })
})
