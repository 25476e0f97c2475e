import { WalletError, type Json } from './wallet-error.ts'

declare const unread: unknown

const error = new WalletError('ABORTED', 'The caller gave up.', { details: { hashes: ['0x1'], block: { number: 1 } } })
export const details: Readonly<Record<string, Json>> = error.details

// @ts-expect-error a bigint would make JSON.stringify throw
void new WalletError('ABORTED', 'The caller gave up.', { details: { amountWei: 1n } })
// @ts-expect-error and nobody knows of this what it is
void new WalletError('ABORTED', 'The caller gave up.', { details: { unread } })

// @ts-expect-error a program that looked for an agent needs to know which one, and where
void new WalletError('AGENT_NOT_FOUND', 'There is none.')
// @ts-expect-error all of it
void new WalletError('AGENT_NOT_FOUND', 'There is none.', { details: { agentId: '8453:1' } })
void new WalletError('AGENT_NOT_FOUND', 'There is none.', {
  details: { agentId: '8453:1', chainId: 8453, registry: '0x0', more: true },
})
