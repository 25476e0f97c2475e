import { chains, findChain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { Intent } from '../intent.ts'
import type { Quote, Token } from '../ports.ts'
import type { UpstreamAsked } from '../ports/upstream.ts'
import type { TradingClient } from './create-trading-client.ts'
import { swapRoute } from './swap-route.ts'

const chain = findChain(chains, 'base')!
const wallet = '0x00000000000000000000000000000000000a11ce'
const token = (address: `0x${string}`): Token => ({
  address,
  name: 'T',
  symbol: 'T',
  decimals: 18,
  isNative: false,
  listed: true,
  usdPegged: false,
})
const [tokenIn, tokenOut] = [token(chain.wrappedNative.address), token(`0x${'2'.repeat(40)}`)]
const transaction = { to: wallet, from: wallet, data: '0x', value: '0', chainId: chain.id }

/** What the guard is asked to hold a trade to that promises so much; `null` where it is not taken. */
async function askedOf(promised: string, least: bigint, exactOut: { most: bigint; kept?: true } | null = null) {
  const asked: UpstreamAsked[] = []
  const sent: object[] = []
  const never = () => Promise.reject(new Error('not asked'))
  const client: TradingClient = {
    claim: never,
    migrate: never,
    claimRewards: never,
    claimsRewards: true,
    decrease: never,
    create: never,
    increase: never,
    quote: async (request) => {
      sent.push(request)
      return exactOut === null
        ? { output: { amount: promised } }
        : { output: { amount: '1000000' }, input: { amount: promised } }
    },
    swap: async () => transaction,
    orderQuote: never,
    order: never,
  }
  const intent: Intent = {
    chainId: chain.id,
    calls: [],
    atomicity: 'multicall',
    spends: [{ token: tokenIn.address, amount: exactOut?.most ?? 100n }],
    receives: [{ token: tokenOut.address, amount: least }],
    approvals: [],
    riskTier: 'routine',
    slippageBps: 50,
    deadline: 9,
    recipients: [wallet],
    why: 'a test',
  }
  const guard = (_: unknown, expectation: UpstreamAsked) => {
    asked.push(expectation)
    return { ...intent, receives: expectation.receives }
  }
  const quote: Quote = {
    amountIn: exactOut === null ? 100n : 100_000n,
    amountOut: 1_000_000n,
    ...(exactOut === null ? {} : { isExactOut: true }),
    route: [],
    version: 'v3',
    priceImpactBps: 0,
    gasEstimate: 0n,
    blockNumber: 1n,
  }
  const alone = { keptRouter: exactOut?.kept === true ? wallet : null } as const
  const request = { tokenIn, tokenOut, slippageBps: 50, deadline: 9, recipient: wallet, alone } as const
  const own = { intent, preview: quote, decode: never }
  const built = await swapRoute({ client, guard }).swap(chain, quote, request, own)
  return {
    asked: built === null ? null : asked[0],
    spends: built?.intent.spends,
    receives: built?.intent.receives,
    sent: sent[0],
  }
}

test('a trade that promises no less is held to its own promise, less the slippage', async () => {
  const { asked, receives, sent } = await askedOf('1100000', 995_000n)
  const held = [{ token: tokenOut.address, amount: 1_094_500n - 8n }]
  expect([asked?.kind, asked?.receives, receives]).toEqual(['swap', held, held])
  expect(asked?.spends).toEqual([{ token: tokenIn.address, amount: 100n }])
  expect(sent).toMatchObject({ amount: '100', slippageTolerance: 0.5, swapper: wallet, type: 'EXACT_INPUT' })
})

test('one that promises less than the route found here is not taken', async () => {
  expect((await askedOf('999999', 995_000n)).asked).toBeNull()
})

test('under a plan that holds more to arrive it is asked for a tighter slippage', async () => {
  const { asked, sent } = await askedOf('1000000', 998_000n)
  expect(sent).toMatchObject({ slippageTolerance: 0.2 })
  expect(asked?.receives).toEqual([{ token: tokenOut.address, amount: 998_000n - 8n }])
})

test('an exact output is held to its own offer and the slippage, and to the amount itself', async () => {
  const { asked, spends, sent } = await askedOf('90000', 1_000_000n, { most: 100_500n })
  const held = [{ token: tokenIn.address, amount: 90_450n + 8n }]
  expect([asked?.spends, spends]).toEqual([held, held])
  expect(asked?.receives).toEqual([{ token: tokenOut.address, amount: 1_000_000n }])
  expect(asked?.mayLeave).toEqual([{ token: tokenIn.address, amount: 90_225n - 8n }])
  expect(sent).toMatchObject({
    type: 'EXACT_OUTPUT',
    amount: '1000000',
    slippageTolerance: 0.5,
    protocols: ['V3'],
  })
})

test('an exact output that takes more than the route found here, or than its plan showed, is not taken', async () => {
  expect((await askedOf('100001', 1_000_000n, { most: 100_500n })).asked).toBeNull()
  expect((await askedOf('100000', 1_000_000n, { most: 100_500n })).asked?.spends).toEqual([
    { token: tokenIn.address, amount: 100_500n },
  ])
  expect((await askedOf('100100', 1_000_000n, { most: 100_500n, kept: true })).asked).toBeNull()
  const kept = await askedOf('100010', 1_000_000n, { most: 100_500n, kept: true })
  expect(kept.sent).toMatchObject({ slippageTolerance: 0.45 })
  // More than the route found now takes, and no more than the plan showed with the slippage that is left.
  expect(kept.spends).toEqual([{ token: tokenIn.address, amount: 100_460n + 8n }])
})
