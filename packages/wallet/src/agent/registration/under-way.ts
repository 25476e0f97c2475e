import { WalletError } from '../../wallet-error.ts'
import { isEnded } from './memory-registration-records.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationContext } from './registration-context.ts'

/**
 * The registration of this wallet that was begun and not ended, if there is one: the one `resume` names, or else the one
 * an earlier call left. It is gone on with, whatever the other options say. Throws `RESUME_TOKEN_INVALID`.
 */
export async function underWay(context: RegistrationContext): Promise<RegistrationRecord | null> {
  const { options, records, chain, registry, owner } = context
  if (options.resume !== undefined) {
    const record = await recordOf(context, options.resume)
    return record.state === 'registered' ? null : record
  }
  const record = await records.find(chain.id, registry, owner)
  return record === null || isEnded(record) ? null : record
}

/**
 * The record of a token, of a registration or of an update of that agent. Throws `RESUME_TOKEN_INVALID`, also for one that
 * was given up before anything was signed for it: another took its place.
 */
export async function recordOf(
  context: RegistrationContext,
  token: string,
  updateOf?: string,
): Promise<RegistrationRecord> {
  const { records, chain, registry, owner } = context
  const record = await records.load(token)
  const isOwn = record?.chainId === chain.id && record.owner === owner && record.registry === registry
  if (isOwn && record.update?.tokenId === updateOf) {
    if (record.state !== 'failed' || (await context.signed(token)) > 0) return record
    throw new WalletError('RESUME_TOKEN_INVALID', 'What the token stands for was given up; begin anew.')
  }
  const what = updateOf === undefined ? 'registration' : `update of agent ${updateOf}`
  throw new WalletError('RESUME_TOKEN_INVALID', `No ${what} by this wallet on this chain has the token.`)
}
