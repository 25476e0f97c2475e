import { decodeFunctionData, parseAbi, type Address, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import type { IntentApproval } from '@svc/amm'
import { allowancesOf, approvalSteps, revokeStep } from './step.ts'

const usdc: Address = '0x0000000000000000000000000000000000001111'
const router: Address = '0x0000000000000000000000000000000000003333'
const other: Address = '0x0000000000000000000000000000000000003334'
const permit2: Address = '0x0000000000000000000000000000000000004444'
const approval: IntentApproval = { token: usdc, spender: router, amount: 100n, via: 'erc20', revokeAfter: true }

/** Each step as target and arguments. */
function stepsFor(approvals: readonly IntentApproval[], standing: readonly bigint[]) {
  return approvalSteps(approvals, standing, { permit2, expiresAtSeconds: 99 }).map(({ to, data }) => ({
    to,
    args: decodeFunctionData({ abi: [...erc20Abi, ...permit2Abi], data }).args,
  }))
}

describe('approvals as transactions', () => {
  it.each<readonly [bigint, readonly bigint[]]>([
    [0n, [100n]],
    [100n, []],
    [99n, [0n, 100n]],
    [101n, [0n, 100n]],
    [2n ** 256n - 1n, [0n, 100n]],
  ])('approves exactly, through zero where another amount stands (%#)', (standing, amounts) => {
    expect(stepsFor([approval], [standing])).toEqual(amounts.map((amount) => ({ to: usdc, args: [router, amount] })))
  })

  it('an allowance that an order lives by is made anew where the same amount stands', () => {
    const steps = approvalSteps([approval], [100n], { permit2, expiresAtSeconds: 99, isAnew: true })
    expect(steps.map(({ label }) => label)).toEqual(['clear an allowance', 'approve the exact amount'])
  })

  it('a lasting approval is always sent, and zero needs no way through zero', () => {
    const lasting = { ...approval, revokeAfter: false }
    expect(stepsFor([lasting], [100n])).toHaveLength(1)
    expect(stepsFor([{ ...lasting, amount: 0n }], [7n])).toEqual([{ to: usdc, args: [router, 0n] }])
  })

  it('two spenders through Permit2 share one exact allowance of it', () => {
    const approvals: IntentApproval[] = [
      { ...approval, via: 'permit2' },
      { ...approval, via: 'permit2', spender: other, amount: 30n },
    ]
    expect(allowancesOf(approvals, permit2)).toEqual([
      { token: usdc, spender: permit2, amount: 130n, revokeAfter: true },
    ])
    expect(stepsFor(approvals, [0n])).toEqual([
      { to: usdc, args: [permit2, 130n] },
      { to: permit2, args: [usdc, router, 100n, 99] },
      { to: permit2, args: [usdc, other, 30n, 99] },
    ])
  })

  it('is taken back by approving nothing', () => {
    const { to, data, kind } = revokeStep({ token: usdc, spender: router })
    expect([to, kind, decodeFunctionData({ abi: erc20Abi, data }).args]).toEqual([usdc, 'revoke', [router, 0n]])
  })

  it('is taken back, over a position, by approving nobody', () => {
    const position = { tokenId: '7', nonce: '0', deadline: 9 }
    const { to, data, kind } = revokeStep({ token: other, spender: router, position })
    const abi = parseAbi(['function approve(address to, uint256 tokenId)'])
    expect([to, kind, decodeFunctionData({ abi, data }).args]).toEqual([other, 'revoke', [zeroAddress, 7n]])
  })
})
