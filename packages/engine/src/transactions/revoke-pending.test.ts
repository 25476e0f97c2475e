import { pad, serializeTransaction, type Address } from 'viem'
import { expect, test } from 'vitest'
import { revokeStep } from '../call/step.ts'
import { isWaiting, takesBack } from './revoke-pending.ts'

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

test('one that was taken back for nothing waits a minute, then twice as long each time up to a day', () => {
  const minutes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440]
  for (const [index, wait] of [...minutes, 1_440].entries()) {
    const failed = { chainId: 1, owner: other, ...allowance, failed: { times: index + 1, at: 1_000 } }
    const over = 1_000 + wait * 60_000
    expect([999, 1_000, over - 1, over].map((now) => isWaiting(failed, now))).toEqual([false, true, true, false])
  }
  expect(isWaiting({ chainId: 1, owner: other, ...allowance }, 1_000)).toBe(false)
})

function signed(transaction: { readonly to: Address | null; readonly data: `0x${string}` }) {
  const rawTransaction = serializeTransaction({ ...transaction, chainId: 31_337, type: 'eip1559' })
  const facts = { requestId: 'r', step: 0, chainId: 31_337, from: other, nonce: 0, attempt: 0 }
  return { ...facts, rawTransaction, hash: pad('0x04'), reservationId: null, state: 'reverted', signedAt: 0 } as const
}
