import type { Intent, IntentCrossChain } from '@svc/amm'
import { crossChainOrderIdOf, openCalldata } from '@svc/amm/cross-chain'
import { chains } from '@svc/wallet/core'
import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { crossChainRefusals, destinationRefusals } from './intent-refusals.ts'

const settler = '0x5555555555555555555555555555555555555555'
const chain = { ...chains.find(({ id }) => id === 1)!, crossChainSettler: settler } as const
const destination = { ...chains.find(({ id }) => id === 10)!, crossChainSettler: settler } as const
const wallet = '0x00000000000000000000000000000000000000bb'
const stranger: Address = '0x00000000000000000000000000000000000bad00'
const [inputToken, outputToken] = [chain.tokens[1]!.address, destination.tokens[1]!.address]
const terms = {
  settler,
  nonce: 7n,
  fillDeadline: 1_900_000_000,
  inputToken,
  inputAmount: 1_000n,
  destinationChainId: 10,
  destinationSettler: settler,
  outputToken,
  outputAmount: 990n,
  recipient: wallet,
} as const
const orderOf = (change: Partial<IntentCrossChain> = {}): IntentCrossChain => {
  const order = { ...terms, ...change }
  return { orderId: crossChainOrderIdOf(order, { chainId: 1, wallet }), ...order }
}
const call = { to: settler, data: openCalldata(terms), valueWei: 0n, label: 'open' } as const
const allowed = { token: inputToken, spender: settler, amount: 1_000n, via: 'erc20', revokeAfter: true } as const
const intent: Intent = {
  chainId: 1,
  calls: [call],
  atomicity: 'single',
  spends: [{ token: inputToken, amount: 1_000n }],
  receives: [],
  approvals: [allowed],
  riskTier: 'routine',
  slippageBps: 70,
  deadline: 1_900_000_000,
  recipients: [wallet],
  crossChain: orderOf(),
  why: 'a test',
}

test('an order that is all of its intent passes', () => {
  expect(crossChainRefusals(intent, { chain, wallet })).toEqual([])
})

test.each<readonly [string, Partial<Intent>]>([
  ['a call that opens more than is declared', { crossChain: orderOf({ outputAmount: 991n }) }],
  ['a call that goes to another contract', { calls: [{ ...call, to: stranger }] }],
  ['another call beside it', { calls: [call, call] }],
  ['native currency along with it', { calls: [{ ...call, valueWei: 1n }] }],
  ['another settler', { crossChain: orderOf({ settler: stranger }), calls: [{ ...call, to: stranger }] }],
  ['another hash', { crossChain: { ...orderOf(), orderId: `0x${'0'.repeat(64)}` } }],
  ['somebody else who is paid', { recipients: [stranger] }],
  ['a later end than declared', { deadline: 1_900_000_001 }],
  ['a larger allowance', { approvals: [{ ...allowed, amount: 1_001n }] }],
  ['an allowance that lasts', { approvals: [{ ...allowed, revokeAfter: false }] }],
  ['an allowance of somebody else', { approvals: [{ ...allowed, spender: stranger }] }],
  ['more that may leave', { spends: [{ token: inputToken, amount: 1_001n }] }],
  ['something that arrives here', { receives: [{ token: inputToken, amount: 1n }] }],
])('an order with %s is refused', (_what, change) => {
  const refusals = crossChainRefusals({ ...intent, ...change }, { chain, wallet })
  expect(refusals.map(({ code }) => code)).toContain('UNSAFE_TRANSACTION')
})

test('a recipient who is not the wallet is refused, whatever the calldata says', () => {
  const order = orderOf({ recipient: stranger })
  const paid: Intent = {
    ...intent,
    crossChain: order,
    calls: [{ ...call, data: openCalldata(order) }],
    recipients: [stranger],
  }
  expect(crossChainRefusals(paid, { chain, wallet })).toHaveLength(1)
})

test('nothing else is called at a settler', () => {
  const { crossChain: _order, ...without } = intent
  expect(crossChainRefusals(without, { chain, wallet })).toHaveLength(1)
  expect(crossChainRefusals({ ...without, calls: [{ ...call, to: stranger }] }, { chain, wallet })).toEqual([])
})

test.each([
  ['the server reads it and lists the token', [destination], true, wallet, []],
  ['the server does not read it', [chain], true, wallet, ['CROSS_CHAIN_NOT_SUPPORTED']],
  [
    'it has no settler',
    [{ ...destination, crossChainSettler: undefined }],
    true,
    wallet,
    ['CROSS_CHAIN_NOT_SUPPORTED'],
  ],
  ['it has another settler', [{ ...destination, crossChainSettler: stranger }], true, wallet, ['UNSAFE_TRANSACTION']],
  ['nobody lists the token there', [destination], false, wallet, ['TOKEN_NOT_ALLOWLISTED']],
  ['the wallet has another address there', [destination], true, stranger, ['UNSAFE_TRANSACTION']],
] as const)('of a destination, where %s', (_what, known, isListed, address, codes) => {
  const senders = () => ({ address })
  const engine = { chains: { list: () => known }, tokens: { isListed: () => isListed }, senders }
  expect(destinationRefusals({ engine, intent, wallet } as never).map(({ code }) => code)).toEqual(codes)
})
