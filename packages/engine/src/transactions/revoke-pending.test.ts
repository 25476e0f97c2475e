import { pad, serializeTransaction, type Address } from 'viem'
import { expect, test } from 'vitest'
import { revokeStep } from '../allowances/approval-steps.ts'
import { takesBack } from './revoke-pending.ts'

const [token, spender, other] = ['0x01', '0x02', '0x03'].map((hex) => pad(hex as '0x01', { size: 20 })) as [
  Address,
  Address,
  Address,
]
const allowance = { token, spender }

test('an allowance is taken back by its own transaction alone: of its token, for its spender, to nothing', () => {
  const { to, data } = revokeStep(allowance)
  expect(takesBack(signed({ to, data }), allowance)).toBe(true)
  expect(takesBack(signed({ to: other, data }), allowance)).toBe(false)
  expect(takesBack(signed({ to, data: revokeStep({ token, spender: other }).data }), allowance)).toBe(false)
  expect(takesBack(signed({ to, data: `${data.slice(0, -1)}1` as `0x${string}` }), allowance)).toBe(false)
  // What creates a contract is sent to nobody.
  expect(takesBack(signed({ to: null, data }), allowance)).toBe(false)
})

function signed(transaction: { readonly to: Address | null; readonly data: `0x${string}` }) {
  const rawTransaction = serializeTransaction({ ...transaction, chainId: 31_337, type: 'eip1559' })
  const facts = { requestId: 'r', step: 0, chainId: 31_337, from: other, nonce: 0, attempt: 0 }
  return { ...facts, rawTransaction, hash: pad('0x04'), reservationId: null, state: 'reverted', signedAt: 0 } as const
}
