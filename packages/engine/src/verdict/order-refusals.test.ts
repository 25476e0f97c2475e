import type { Intent, IntentOrder } from '@svc/amm'
import { chains } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { orderRefusals } from './intent-refusals.ts'

const chain = chains.find(({ id }) => id === 1)!
const [tokenIn, tokenOut] = [chain.wrappedNative.address, chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address]
const wallet = '0x00000000000000000000000000000000000000bb'
const stranger = '0x00000000000000000000000000000000000bad00'
const order: IntentOrder = {
  reactor: chain.orderReactor!,
  nonce: 1n,
  deadline: 2_000_000_000,
  cosigner: stranger,
  tokenIn,
  amountIn: 100n,
  tokenOut,
  startAmountOut: 60n,
  endAmountOut: 50n,
  holder: `0x${'7'.repeat(40)}`,
  quote: '{}',
}
const allowed = { token: tokenIn, spender: chain.permit2, amount: 100n, via: 'erc20', revokeAfter: true } as const
const intent: Intent = {
  chainId: 1,
  calls: [],
  atomicity: 'single',
  spends: [{ token: tokenIn, amount: 100n }],
  receives: [{ token: tokenOut, amount: 50n }],
  approvals: [allowed],
  riskTier: 'routine',
  slippageBps: 50,
  deadline: 2_000_000_000,
  recipients: [wallet],
  order,
  why: 'a test',
}
const call = { to: stranger, data: '0x', valueWei: 0n, label: 'another call' } as const

test('an order that is all of its intent passes, and an intent without one is none of its business', () => {
  expect(orderRefusals(intent, { chain, wallet })).toEqual([])
  const { order: _order, ...without } = intent
  expect(orderRefusals({ ...without, calls: [call] }, { chain, wallet })).toEqual([])
})

test.each<readonly [string, Partial<Intent>]>([
  ['another call beside it', { calls: [call] }],
  ['another reactor', { order: { ...order, reactor: stranger } }],
  ['more sold than is declared', { order: { ...order, amountIn: 101n } }],
  ['less sold than is allowed', { approvals: [{ ...allowed, amount: 101n }] }],
  ['an allowance of somebody else', { approvals: [{ ...allowed, spender: stranger }] }],
  ['an allowance that lasts', { approvals: [{ ...allowed, revokeAfter: false }] }],
  ['an allowance within Permit2', { approvals: [{ ...allowed, via: 'permit2' }] }],
  ['an allowance of another token', { approvals: [{ ...allowed, token: tokenOut }] }],
  ['a second allowance', { approvals: [allowed, { ...allowed, token: tokenOut }] }],
  ['a second token that may leave', { spends: [...intent.spends, { token: tokenOut, amount: 1n }] }],
  ['less coming than is declared', { order: { ...order, endAmountOut: 49n } }],
  ['another token coming', { receives: [{ token: stranger, amount: 50n }] }],
  ['one token on both sides', { order: { ...order, tokenOut: tokenIn } }],
  ['native currency', { order: { ...order, tokenOut: zeroAddress }, receives: [{ token: zeroAddress, amount: 50n }] }],
  ['somebody else who is paid', { recipients: [stranger] }],
  ['another end than is declared', { order: { ...order, deadline: 2_000_000_001 } }],
  ['an amount that rises', { order: { ...order, startAmountOut: 49n } }],
  ['nothing at the end', { order: { ...order, endAmountOut: 0n }, receives: [{ token: tokenOut, amount: 0n }] }],
  ['nobody who can fill it', { order: { ...order, cosigner: zeroAddress } }],
])('refuses %s', (_what, change) => {
  const refusals = orderRefusals({ ...intent, ...change }, { chain, wallet })
  expect(refusals.map(({ code }) => code)).toContain('UNSAFE_TRANSACTION')
})

test('a chain without a reactor takes no order', () => {
  const { orderReactor: _reactor, ...without } = chain
  expect(orderRefusals(intent, { chain: without, wallet })).not.toEqual([])
})
