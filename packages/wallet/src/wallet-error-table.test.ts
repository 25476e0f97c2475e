import { expect, test } from 'vitest'
import { WalletError } from './wallet-error.ts'
import { walletErrorTable, walletResultTable } from './wallet-error-table.ts'

const rows = Object.entries(walletErrorTable)

test.each([...rows, ...Object.entries(walletResultTable)])(
  '%s says the next step',
  (_code, { meaning, suggestion }) => {
    expect(meaning).toMatch(/^\S.{15,}\.$/)
    expect(suggestion).toMatch(/^[A-Z].{10,}\.$/)
    // Where to read is no step: what was said stands in details, and what to do about it here.
    expect(suggestion).not.toMatch(/^(The message|The cause|See|Details) /)
  },
)

test('details are empty only where a signer of anybody may throw, or nothing is known', () => {
  const bare = rows.filter(([, { details }]) => details.length === 0).map(([code]) => code)
  expect(bare).toEqual(['ABORTED', 'SIGNER_UNAVAILABLE', 'SIGNER_UNAUTHORIZED', 'SIGNER_REFUSED'])
})

test('an error has the suggestion of its code, unless its thrower knows better', () => {
  const details = { agentId: '8453:1', chainId: 8453, registry: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432' }
  const error = new WalletError('AGENT_NOT_FOUND', 'There is none.', { details })
  expect(error).toMatchObject({ suggestion: walletErrorTable.AGENT_NOT_FOUND.suggestion, details })
  expect(new WalletError('ABORTED', 'Gave up.', { suggestion: 'Rest.' })).toMatchObject({ suggestion: 'Rest.' })
})
