import { chains } from '@svc/wallet/core'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '../../intent.ts'
import { mergeIntents } from './merge-intents.ts'

const [token, other, spender, owner]: readonly [Address, Address, Address, Address] = [
  '0x0000000000000000000000000000000000000a01',
  '0x0000000000000000000000000000000000000A02',
  '0x0000000000000000000000000000000000000a03',
  '0x0000000000000000000000000000000000000a04',
]

function part(change: Partial<Intent> = {}): Intent {
  return {
    chainId: 1,
    calls: [{ to: spender, data: '0x', valueWei: 0n, label: 'a call' }],
    atomicity: 'single',
    spends: [],
    receives: [],
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [owner],
    why: 'a part',
    ...change,
  }
}

const [chain] = chains

function merge(parts: readonly [Intent, ...Intent[]], why: string): Intent {
  return mergeIntents(chain!, parts, why).intent
}

describe('one intent of several', () => {
  it('leaves a single call as it is', () => {
    const alone = part({ atomicity: 'multicall' })
    expect(merge([alone], 'why')).toEqual({ ...alone, why: 'why' })
  })

  it('sums what may leave, and lets what arrives pay for it', () => {
    const brings = part({
      receives: [
        { token, amount: 100n },
        { token: other, amount: 7n },
      ],
    })
    const spends = part({ spends: [{ token: token.toUpperCase().replace('0X', '0x') as Address, amount: 60n }] })
    const merged = merge([brings, spends, part({ spends: [{ token, amount: 10n }] })], 'why')
    expect(merged.spends).toEqual([{ token, amount: 70n }])
    expect(merged.receivesApart?.map((receives) => receives.length)).toEqual([2, 0, 0])
    expect(merged.receives).toEqual([
      { token, amount: 30n },
      { token: other, amount: 7n },
    ])
  })

  it('asks for one allowance of the sum, each way by itself', () => {
    const approval = { token, spender, amount: 5n, via: 'erc20', revokeAfter: true } as const
    const merged = merge(
      [part({ approvals: [approval] }), part({ approvals: [approval, { ...approval, via: 'permit2' }] })],
      'why',
    )
    expect(merged.approvals.map(({ via, amount }) => [via, amount])).toEqual([
      ['erc20', 10n],
      ['permit2', 5n],
    ])
  })

  it('has the widest slippage and the latest deadline of its parts, and each recipient once', () => {
    const merged = merge([part({ slippageBps: 50, deadline: 9 }), part({ slippageBps: 80, deadline: 5 })], 'why')
    expect(merged).toMatchObject({ atomicity: 'batch-7702', slippageBps: 80, deadline: 9, recipients: [owner] })
    expect(merge([part(), part()], 'why')).toMatchObject({ slippageBps: null, deadline: null })
  })

  it('keeps with each deposit the slippage that is another than the widest', () => {
    const deposits = [{ pool: '0x01' }] as unknown as NonNullable<Intent['deposits']>
    const merged = merge([part({ slippageBps: 50, deposits }), part({ slippageBps: 80, deposits })], 'why')
    expect(merged.deposits).toEqual([{ pool: '0x01', slippageBps: 50 }, { pool: '0x01' }])
  })
})
