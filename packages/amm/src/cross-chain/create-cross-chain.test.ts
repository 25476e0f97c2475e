import { type Chain, chains, findChain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { CrossChainRequest, Token } from '../ports.ts'
import { createCrossChain } from './create-cross-chain.ts'

const settler = '0x5555555555555555555555555555555555555555'
const settled = (name: string): Chain => ({ ...findChain(chains, name)!, crossChainSettler: settler })
const [base, arbitrum] = [settled('base'), settled('arbitrum')]
const never = () => Promise.reject(new Error('not asked'))
const token = (isNative = false): Token =>
  ({ symbol: 'USDC', address: `0x${'1'.repeat(40)}`, decimals: 6, isNative, listed: true }) as unknown as Token
const band = (midE18: bigint) => ({ band: { midE18 } })
const request = (change: Partial<CrossChainRequest> = {}): CrossChainRequest => ({
  destination: arbitrum,
  tokenIn: token(),
  tokenOut: token(),
  amountIn: 1_000_000n,
  slippageBps: 50,
  relayerFeeBps: 20,
  leastOut: 0n,
  fillDeadline: 1_900_000_000,
  wallet: `0x${'b'.repeat(40)}`,
  ...change,
})
const planner = (usd: () => Promise<unknown> = never) =>
  createCrossChain({
    rpc: { client: () => ({ call: never }) as never },
    prices: { usd: usd as never },
    chains: [base, arbitrum],
    pickNonce: () => 7n,
  })

test.each([
  ['chain', findChain(chains, 'polygon')!, {}],
  ['destinationChain', base, { destination: findChain(chains, 'polygon')! }],
] as const)(
  '%s without a settler is refused with those that have one, before anything is asked',
  async (field, on, change) => {
    await expect(planner().planOpen(on, request(change))).rejects.toMatchObject({
      code: 'CROSS_CHAIN_NOT_SUPPORTED',
      details: [{ field, accepted: ['base', 'arbitrum'] }],
    })
  },
)

test.each([
  ['destinationChain', { destination: base }],
  ['tokenIn', { tokenIn: token(true) }],
  ['tokenOut', { tokenOut: token(true) }],
] as const)('%s that cannot be is refused before anything is asked', async (field, change) => {
  await expect(planner().planOpen(base, request(change))).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field }],
  })
})

test('a token without a trusted price on either chain is refused', async () => {
  const price = planner(async () => ({ band: null }))
  await expect(price.planOpen(base, request())).rejects.toMatchObject({ code: 'PRICE_UNAVAILABLE' })
})

test('an amount that is worth nothing there is refused', async () => {
  const prices = [band(1n), band(10n ** 18n)]
  const price = planner(async () => prices.shift())
  await expect(price.planOpen(base, request({ amountIn: 1n }))).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field: 'amount' }],
  })
})
