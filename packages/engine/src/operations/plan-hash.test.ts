import { describe, expect, it } from 'vitest'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { readPlanned } from './operations.ts'
import { type HashedPlan, planHash } from './plan-shown.ts'
import { type Intent, readIntent, storeIntent } from '@svc/amm'
import { readPrincipal, storePrincipal } from '../call/call.ts'

const [token, wallet] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const

const values = { leavesUsd: '10', arrivesUsd: '10', arrivesAtWorstUsd: '9' }

const intent: Intent = {
  chainId: 1,
  calls: [{ to: token, data: '0x11223344', valueWei: 2n ** 200n, label: 'swap' }],
  atomicity: 'single',
  spends: [{ token, amount: 1n }],
  receives: [],
  approvals: [{ token, spender: wallet, amount: 1n, via: 'erc20', revokeAfter: true }],
  riskTier: 'routine',
  slippageBps: null,
  deadline: null,
  recipients: [wallet],
  why: 'swap',
}

const plan: HashedPlan = {
  principalId: 'key:a',
  tool: 'execute_swap',
  input: { amount: '1', nested: { a: 1, b: 2 } },
  wallet,
  intent,
  shown: { deposits: [], values, warnings: [] },
}

describe('the hash of a plan', () => {
  it('does not depend on the order of members, on dry runs or on keys', () => {
    const input = { nested: { b: 2, a: 1 }, amount: '1', dryRun: true, idempotencyKey: 'k' }
    expect(planHash({ ...plan, input })).toBe(planHash(plan))
  })

  it.each<readonly [string, Partial<HashedPlan>]>([
    ['principal', { principalId: 'key:b' }],
    ['tool', { tool: 'approve_token' }],
    ['arguments', { input: { amount: '2', nested: { a: 1, b: 2 } } }],
    ['wallet', { wallet: token }],
    ['chain', { intent: { ...intent, chainId: 10 } }],
    ['amounts', { intent: { ...intent, spends: [{ token, amount: 2n }] } }],
    ['deposits', { intent: { ...intent, deposits: [mintDeposit] } }],
    ['warnings that were shown', { shown: { deposits: [], values, warnings: ['Beware.'] } }],
    ['values that were shown', { shown: { deposits: [], values: { ...values, arrivesUsd: '1' }, warnings: [] } }],
    ['calldata', { intent: { ...intent, calls: [{ ...intent.calls[0]!, data: '0x11223345' }] } }],
  ])('names the %s', (_, change) => {
    expect(planHash({ ...plan, ...change })).not.toBe(planHash(plan))
  })
})

describe('what is stored of a plan', () => {
  it('is the intent to the wei', () => {
    expect(readIntent(storeIntent(intent))).toEqual(intent)
    expect(() => readIntent(storeIntent(intent).replace('"1"', '"-1"'))).toThrow('amount')
    expect(() => readIntent('{}')).toThrow('chainId')
  })

  it('is what goes into pools, and intents of before have none of it', () => {
    const deposits = [mintDeposit, { ...mintDeposit, kind: 'increase', positionId: '7', hooks: wallet } as const]
    const depositing: Intent = { ...intent, deposits, allowsUnpricedPool: true }
    expect(readIntent(storeIntent(depositing))).toEqual(depositing)
    expect(readIntent(storeIntent(intent))).not.toHaveProperty('deposits')
    for (const [good, bad] of [
      ['"fee":500', '"fee":0.5'],
      ['"liquidity":"', '"liquidity":"-'],
      ['"kind":"mint"', '"kind":"swap"'],
      ['"positionId":"7"', '"positionId":"x"'],
    ] as const) {
      expect(() => readIntent(storeIntent(depositing).replace(good, bad))).toThrow('deposits')
    }
  })

  it.each<readonly [string, object]>([
    ['the old word for a person', { needsPerson: 'To buy it needs a person.' }],
    ['a member of a later version', { asksTwice: true }],
    [
      'one of a call',
      { calls: intent.calls.map((call) => ({ ...call, valueWei: `${call.valueWei}`, asksTwice: true })) },
    ],
    ['one of what follows', { follows: [{ ...JSON.parse(storeIntent(intent)), needsPerson: 'A person.' }] }],
  ])('is not carried out in part: with %s it is to be made again', (_, more) => {
    const stored: object = JSON.parse(storeIntent(intent))
    expect(readPlanned({ id: 'op', intent: JSON.stringify(stored) })).toEqual(intent)
    expect(() => readPlanned({ id: 'op', intent: JSON.stringify({ ...stored, ...more }) })).toThrow(
      expect.objectContaining({
        code: 'OPERATION_STATE',
        retryable: false,
        message: expect.stringMatching(/^The plan op was stored by another version/),
        suggestion: expect.stringMatching(/Call its tool again for a new plan, which asks a person/),
      }),
    )
  })

  it('is the principal with its rights', () => {
    const principal = {
      id: 'siwe:0x1',
      stage: 'siwe',
      tier: null,
      scopes: new Set(['write:trade'] as const),
      expiresAt: 5,
      tokenId: 'b3a1c0de',
    } as const
    expect(readPrincipal(storePrincipal(principal))).toEqual({ ...principal, expiresAt: null })
    expect(() => readPrincipal('{"id":"","stage":"siwe","tier":null,"scopes":[]}')).toThrow('id')
    expect(() => readPrincipal('{"id":"x","stage":"siwe","tier":null,"scopes":["root"]}')).toThrow('scopes')
  })
})
