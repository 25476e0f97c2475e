import { chains } from '@svc/wallet/core'
import { decodeFunctionData, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { twammOrderAbi } from '../abis/twamm.ts'
import type { Settled } from '../intent.ts'
import { poolIdOf } from '../liquidity/v4/pool-key.ts'
import type { Pool, Token, TwammOrder, TwammPool } from '../ports.ts'
import { planCancel, planClaim } from './plan-order.ts'

const chain = chains.find(({ id }) => id === 8453)!
const [one, other, hook, owner] = ['11', '22', 'aa', 'bb'].map((digits) => getAddress(`0x${digits.repeat(20)}`)) as [
  Token['address'],
  Token['address'],
  Token['address'],
  Token['address'],
]
const tokenIn = { address: one, symbol: 'ONE', decimals: 18 } as Token
const tokenOut = { address: other, symbol: 'TWO', decimals: 6 } as Token
const key = { currency0: one, currency1: other, fee: 3_000, tickSpacing: 60, hooks: hook }
const standing = { id: poolIdOf(key), token0: tokenIn, token1: tokenOut, fee: 3_000, tickSpacing: 60, hooks: hook }
const pool: TwammPool = { pool: standing as Pool, hook, intervalSeconds: 3_600 }

function orderWith(facts: Partial<TwammOrder>): TwammOrder {
  const own = { owner, zeroForOne: true, tokenIn, tokenOut, expiresAt: 7_200, stands: true, status: 'active' }
  const sold = { readAt: 1_000, sellRate: 2n }
  return { ...own, ...sold, owedIn: 0n, owedOut: 5n, ...facts } as TwammOrder
}

/** Function and last argument of each call. */
const callsOf = ({ intent }: ReturnType<typeof planClaim>) =>
  intent.calls.map(({ data }) => {
    const { functionName, args } = decodeFunctionData({ abi: twammOrderAbi, data })
    return [functionName, functionName === 'claimTokens' ? args[0] : args[2]]
  })

const settle = ['updateOrder', 0n]
const end = ['updateOrder', -1n]
const [payIn, payOut] = [
  ['claimTokens', one],
  ['claimTokens', other],
]

describe('ending an order', () => {
  test('takes both tokens home, to its owner', async () => {
    const plan = planCancel(chain, pool, orderWith({ owedOut: 0n }))
    expect(callsOf(plan)).toEqual([end, payIn, payOut])
    expect(plan.intent).toMatchObject({ atomicity: 'sequential', spends: [], approvals: [], recipients: [owner] })
    // What five minutes more would sell may be gone by then; what is earned already is sure.
    expect(planCancel(chain, pool, orderWith({})).intent.receives).toEqual([
      { token: one, amount: 2n * (7_200n - 1_000n - 300n) },
      { token: other, amount: 5n },
    ])
    const deltas = [
      { token: one, amount: 7n },
      { token: other, amount: 9n },
    ]
    expect(await plan.decode({ deltas } as unknown as Settled)).toEqual({ amountIn: 7n, amountOut: 9n })
    expect(await plan.decode({ deltas: [] } as unknown as Settled)).toEqual({ amountIn: 0n, amountOut: 0n })
  })

  test.each(['completed', 'claimed', 'cancelled'] as const)('is for active orders: not one that is %s', (status) => {
    expect(() => planCancel(chain, pool, orderWith({ status }))).toThrow(
      expect.objectContaining({
        code: 'ORDER_NOT_ACTIVE',
        details: [{ field: 'orderId', message: `the order is ${status}`, accepted: 'an active order' }],
      }),
    )
  })
})

describe('claiming', () => {
  test('settles an order that stands, and takes home what the hook owes of either token', () => {
    expect(callsOf(planClaim(chain, pool, orderWith({})))).toEqual([settle, payOut])
    expect(callsOf(planClaim(chain, pool, orderWith({ owedIn: 3n })))).toEqual([settle, payIn, payOut])
  })

  test('takes home what an earlier claim or a cancellation left in the hook', () => {
    const left = orderWith({ status: 'completed', stands: false })
    expect(callsOf(planClaim(chain, pool, left))).toEqual([payOut])
    expect(planClaim(chain, pool, left).intent.atomicity).toBe('single')
    const cancelled = orderWith({ status: 'cancelled', stands: false, owedIn: 3n, owedOut: 0n })
    expect(callsOf(planClaim(chain, pool, cancelled))).toEqual([payIn])
  })

  test('of nothing says what comes next', () => {
    const nothing = { owedOut: 0n } as const
    expect(() => planClaim(chain, pool, orderWith(nothing))).toThrow(
      expect.objectContaining({
        code: 'NOTHING_TO_COLLECT',
        suggestion: expect.stringContaining('get_twamm_order_status'),
      }),
    )
    expect(() => planClaim(chain, pool, orderWith({ ...nothing, status: 'claimed', stands: false }))).toThrow(
      expect.objectContaining({ suggestion: expect.stringContaining('Nothing is left to do') }),
    )
  })
})
