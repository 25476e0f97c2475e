import { WalletError } from '../wallet-error.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/**
 * The registration of this wallet that was begun and not ended, if there is one: the one `resume` names, or else the one
 * an earlier call left. It is gone on with, whatever the other options say. Throws `RESUME_TOKEN_INVALID`.
 */
export async function underWay(trip: RegistrationTrip): Promise<RegistrationRecord | null> {
  const { options, records, chain, registry, owner, warnings, progress } = trip
  if (options.resume !== undefined) {
    const record = await records.load(options.resume)
    if (record === null || record.chainId !== chain.id || record.owner !== owner || record.registry !== registry) {
      throw new WalletError('RESUME_TOKEN_INVALID', 'No registration of this wallet on this chain has the token.')
    }
    return record
  }
  const record = await records.find(chain.id, registry, owner)
  if (record === null || record.state === 'registered' || record.state === 'failed') return null
  warnings.push('A registration that was begun earlier is gone on with; what this call asks for is not looked at.')
  progress('send', 'Going on with the registration that was begun earlier.')
  return record
}
