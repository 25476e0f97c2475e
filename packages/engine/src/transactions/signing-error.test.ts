import { ToolError } from '@svc/amm'
import { StoreError } from '@svc/store'
import { WalletError } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { signingError } from './transact.ts'

const details = { chainId: 1, address: `0x${'1'.repeat(40)}` } as const

it.each([
  ['a provider that does not answer', new WalletError('SIGNER_UNAVAILABLE', 'x'), 'SIGNER_UNAVAILABLE'],
  [
    'one that asks for fewer requests',
    new WalletError('SIGNER_RATE_LIMITED', 'x', { details: { retryAfterSeconds: 7 } }),
    'SIGNER_UNAVAILABLE',
  ],
  ['one that refuses', new WalletError('SIGNER_REFUSED', 'x'), 'SIGNER_REFUSED'],
  ['one that does not know this server', new WalletError('SIGNER_UNAUTHORIZED', 'x'), 'SIGNER_UNAUTHORIZED'],
  ['a journal that is ahead', new WalletError('NONCE_AHEAD_OF_CHAIN', 'x', { details }), 'RPC_STALE'],
  ['another sender of the wallet', new WalletError('NONCE_CONTENDED', 'x', { details }), 'TRANSACTION_NOT_SENT'],
  ['a store that went away meanwhile', new StoreError('STORE_IN_DOUBT', 'x'), 'OPERATION_IN_DOUBT'],
  ['a store that fails', new StoreError('STORE_UNAVAILABLE', 'x'), 'STORAGE_UNAVAILABLE'],
  [
    'a journal of a wallet that fails',
    new WalletError('JOURNAL_UNREADABLE', 'x', { details: { path: 'journal' } }),
    'INTERNAL',
  ],
] as const)('what %s leaves unsigned is reported by its own code, with the cause', (_what, cause, code) => {
  expect(signingError(cause, 'Base')).toMatchObject({ name: 'ToolError', code, cause })
})

it('an error that has a code of ours stays as it is', () => {
  const error = new ToolError('SERVER_PAUSED', 'x')
  expect(signingError(error, 'Base')).toBe(error)
})
