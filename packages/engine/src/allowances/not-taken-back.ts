import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import type { Engine } from '../context/engine.ts'
import type { OwedAllowance } from './owed-allowances.ts'
import { onStorage } from '../audit/storage.ts'

/**
 * Notes beside what is owed that taking it back was mined and failed, so that the next try waits, and tells the operator
 * the first time. Throws `STORAGE_UNAVAILABLE`.
 */
export async function noteNotTakenBack(
  engine: Pick<Engine, 'owed' | 'audit' | 'log' | 'now'>,
  chain: Pick<Chain, 'id'>,
  owed: OwedAllowance,
  hash: Hash,
): Promise<void> {
  await onStorage('the owed allowances cannot be written', () => engine.owed.failed(owed, engine.now()))
  if (owed.failed !== undefined) return
  const { token, spender } = owed
  engine.log.error('allowances.not-taken-back', { chainId: chain.id, token, spender, hash, fix })
  const transaction = { chainId: chain.id, hash, to: token, spender }
  engine.audit.note({ event: 'tx.not-taken-back', transaction, result: { status: 'reverted' } })
}

const fix =
  'Taking this allowance back was mined and failed. It is tried again after a minute, then after twice as long each time, up to a day, and not while the daily limit is used up. A token that refuses this is best not traded again.'
