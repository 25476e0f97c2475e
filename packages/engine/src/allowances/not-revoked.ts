import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import type { Engine } from '../context/engine.ts'
import type { PendingRevocation } from './pending-revocations.ts'
import { onStorage } from '../audit/storage.ts'

/**
 * Notes beside what is owed that taking it back was mined and failed, so that the next try waits, and tells the operator
 * the first time. Throws `STORAGE_UNAVAILABLE`.
 */
export async function noteNotRevoked(
  engine: Pick<Engine, 'pendingRevocations' | 'audit' | 'log' | 'now'>,
  chain: Pick<Chain, 'id'>,
  pendingRevocations: PendingRevocation,
  hash: Hash,
): Promise<void> {
  await onStorage('the owed allowances cannot be written', () =>
    engine.pendingRevocations.failed(pendingRevocations, engine.now()),
  )
  if (pendingRevocations.failed !== undefined) return
  const { token, spender } = pendingRevocations
  engine.log.error('allowances.not-taken-back', { chainId: chain.id, token, spender, hash, fix })
  const transaction = { chainId: chain.id, hash, to: token, spender }
  engine.audit.note({ event: 'tx.not-taken-back', transaction, result: { status: 'reverted' } })
}

const fix =
  'Taking this allowance back was mined and failed. It is tried again after a minute, then after twice as long each time, up to a day, and not while the daily limit is used up. A token that refuses this is best not traded again.'
