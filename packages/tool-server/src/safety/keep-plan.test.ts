import { describe, expect, it } from 'vitest'
import type { Intent } from '../intent.ts'
import { intentDrift } from './keep-plan.ts'

const [token, other, router, wallet] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}` as const) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]

const planned: Intent = {
  chainId: 1,
  calls: [{ to: router, data: '0x11223344aa', valueWei: 5n, label: 'swap' }],
  atomicity: 'single',
  spends: [{ token, amount: 100n }],
  receives: [{ token: other, amount: 7n }],
  approvals: [{ token, spender: router, amount: 100n, via: 'erc20', revokeAfter: true }],
  riskTier: 'routine',
  slippageBps: 50,
  deadline: 1_000,
  recipients: [wallet],
  why: 'swap',
}
const [call, approval] = [planned.calls[0]!, planned.approvals[0]!]

describe('what of an intent goes beyond its plan', () => {
  it('is nothing where amounts are the same or less, and calldata, deadline and sentence are others', () => {
    expect(intentDrift(planned, planned)).toEqual([])
    const less: Intent = {
      ...planned,
      calls: [{ ...call, data: '0x11223344bb', valueWei: 4n }],
      spends: [{ token, amount: 99n }],
      approvals: [{ ...approval, amount: 99n }],
      deadline: 2_000,
      why: 'swap later',
    }
    expect(intentDrift(planned, less)).toEqual([])
  })

  it('is another word of a call that is carried out to the letter', () => {
    const exact: Intent = { ...planned, calls: [{ ...call, exact: true }] }
    expect(intentDrift(exact, exact)).toEqual([])
    const other: Intent = { ...exact, calls: [{ ...call, exact: true, data: '0x11223344bb' }] }
    expect(intentDrift(exact, other)).toHaveLength(1)
    expect(intentDrift(exact, planned)).toHaveLength(1)
  })

  it.each<readonly [string, Partial<Intent>]>([
    ['another chain', { chainId: 10 }],
    ['another contract', { calls: [{ ...call, to: other }] }],
    ['another function', { calls: [{ ...call, data: '0x11223345aa' }] }],
    ['one call more', { calls: [call, call] }],
    ['one call less', { calls: [] }],
    ['more value', { calls: [{ ...call, valueWei: 6n }] }],
    ['another recipient', { recipients: [other] }],
    ['a further recipient', { recipients: [wallet, other] }],
    ['more of a token', { spends: [{ token, amount: 101n }] }],
    ['more of a token in parts', { spends: [planned.spends[0]!, { token, amount: 1n }] }],
    ['another token', { spends: [{ token: other, amount: 1n }] }],
    ['a larger allowance', { approvals: [{ ...approval, amount: 101n }] }],
    ['another spender', { approvals: [{ ...approval, spender: other }] }],
    ['an allowance through Permit2', { approvals: [{ ...approval, via: 'permit2' }] }],
    ['an allowance that stays', { approvals: [{ ...approval, revokeAfter: false }] }],
    ['another risk tier', { riskTier: 'critical' }],
    ['another atomicity', { atomicity: 'sequential' }],
    ['more slippage', { slippageBps: 51 }],
    ['slippage without a bound', { slippageBps: null }],
  ])('is %s', (_, change) => {
    expect(intentDrift(planned, { ...planned, ...change })).not.toEqual([])
  })
})
