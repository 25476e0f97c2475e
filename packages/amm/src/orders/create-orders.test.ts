import { chains, findChain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { OrderRequest, Token } from '../ports.ts'
import { createOrders, orderIdOf, orderTypedData } from './create-orders.ts'
import { hashTypedData } from 'viem'

const [base, ethereum] = ['base', 'ethereum'].map((name) => findChain(chains, name)!)
const wallet = '0x00000000000000000000000000000000000000aa'
const never = () => Promise.reject(new Error('not asked'))
const orders = createOrders({
  rpc: { client: never, head: never } as never,
  liquidity: { quote: never },
  client: null,
  chains,
})
const token = (symbol: string, isNative = false): Token =>
  ({ symbol, address: `0x${'1'.repeat(40)}`, decimals: 18, isNative, listed: true }) as unknown as Token
const request = (change: Partial<OrderRequest> = {}): OrderRequest => ({
  tokenIn: token('WETH'),
  tokenOut: token('USDC'),
  amountIn: 1n,
  slippageBps: 50,
  latestDeadline: 2_000_000_000,
  wallet,
  ...change,
})

test('a chain without a reactor is refused with those that have one, before anything is asked', async () => {
  await expect(orders.planSubmit(base!, request())).rejects.toMatchObject({
    code: 'ORDERS_NOT_SUPPORTED',
    details: [{ field: 'chain', accepted: ['ethereum', 'arbitrum', 'sepolia'] }],
  })
})

test.each([
  ['tokenIn', { tokenIn: token('ETH', true) }],
  ['tokenOut', { tokenOut: token('ETH', true) }],
] as const)('native currency as %s is refused with the wrapped token', async (field, change) => {
  await expect(orders.planSubmit(ethereum!, request(change))).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field, accepted: 'WETH' }],
  })
})

test('without a key nobody is asked', async () => {
  await expect(orders.planSubmit(ethereum!, request())).rejects.toMatchObject({ code: 'API_KEY_NOT_CONFIGURED' })
})

test('a cancellation uses up the one bit of the nonce, and allows nothing', () => {
  const nonce = (5n << 8n) | 3n
  const intent = orders.planCancel(ethereum!, { nonce, tokenIn: wallet }, `0x${'2'.repeat(64)}`)
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  expect(intent.calls.map(({ to, data }) => [to, data])).toEqual([
    [ethereum!.permit2, `0x3ff9dcb1${word(5n)}${word(8n)}`],
  ])
  expect(intent.approvals).toEqual([
    { token: wallet, spender: ethereum!.permit2, amount: 0n, via: 'erc20', revokeAfter: true },
  ])
  expect([intent.spends, intent.receives, intent.recipients]).toEqual([[], [], []])
})

test('an order is hashed as its reactor does, and its permit is bound to one chain', () => {
  const order = {
    reactor: ethereum!.orderReactor!,
    nonce: 7n,
    deadline: 1_900_000_000,
    cosigner: wallet,
    tokenIn: `0x${'1'.repeat(40)}`,
    amountIn: 5n,
    tokenOut: `0x${'2'.repeat(40)}`,
    startAmountOut: 9n,
    endAmountOut: 8n,
    holder: `0x${'7'.repeat(40)}`,
    quote: '{}',
  } as const
  const at = (chainId: number) => hashTypedData(orderTypedData(order, { chainId, permit2: ethereum!.permit2, wallet }))
  expect(at(1)).not.toBe(at(10))
  expect(orderIdOf(order, wallet)).not.toBe(orderIdOf({ ...order, endAmountOut: 7n }, wallet))
})
