import type { ServiceWallet } from '../service-wallet.ts'
import { requireOptions } from '../require-options.ts'
import { requireWallet } from '../require-wallet.ts'
import { registrationChecks } from './agent-options.ts'
import { templateOf } from './build-agent-card.ts'
import { cardNotWritten } from './card-not-written.ts'
import { findIdentity } from './find-identity.ts'
import { finishRegistration } from './finish-registration.ts'
import { lookAtRegistry, type RegistrySighting } from './look-at-registry.ts'
import { prepareCard } from './prepare-card.ts'
import type { RegistrationResult } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import { openTrip, type RegistrationTrip, type TripOptions } from './registration-trip.ts'
import { submitRegistration } from './submit-registration.ts'
import { underWay } from './under-way.ts'
import { unsaid } from './wanted-card.ts'
import { WalletError } from '../wallet-error.ts'

/** What `registerAgent` does, in its order; loaded with the first registration. */
export async function runRegistration(wallet: ServiceWallet, options: TripOptions): Promise<RegistrationResult> {
  requireWallet(wallet)
  requireOptions(options, registrationChecks)
  if (options.resume === undefined) templateOf({ ...options, role: options.role ?? unsaid })
  const trip = await openTrip(wallet, options)
  return trip.inTurn(() => registerInTurn(trip))
}

async function registerInTurn(trip: RegistrationTrip): Promise<RegistrationResult> {
  const { options } = trip
  trip.progress('check-chain', `Looking at the registry ${trip.registry} on chain ${trip.chain.id}.`)
  const sighting = await lookAtRegistry(trip, trip.owner)
  const begun = await underWay(trip)
  if (begun !== null && (await trip.signed(begun.token)) > 0) return goOn(trip, sighting, begun)
  const isEnded = options.resume !== undefined && begun === null
  const known = options.force === true && !isEnded ? null : await findIdentity(trip, sighting)
  if (known !== null) {
    // Another process registered meanwhile, or this one did under another record.
    if (begun !== null) await trip.records.save({ ...begun, state: 'failed', updatedAt: trip.now() })
    return options.resume === undefined
      ? { ...known, warnings: [...known.warnings, ...(await cardNotWritten(trip, known))] }
      : known
  }
  if (begun !== null) return goOn(trip, sighting, begun)
  if (isEnded) throw new WalletError('RESUME_TOKEN_INVALID', 'The registration of the token is ended, its agent gone.')
  const card = prepareCard({ ...trip, options: { ...options, role: options.role ?? unsaid } })
  const { record, submission } = await submitRegistration(trip, sighting, card)
  return finishRegistration(trip, sighting, record, submission)
}

async function goOn(trip: RegistrationTrip, sighting: RegistrySighting, begun: RegistrationRecord) {
  const { options, warnings, progress } = trip
  if (options.resume === undefined) {
    warnings.push('A registration that was begun earlier is gone on with; what this call asks for is not looked at.')
    progress('send', 'Going on with the registration that was begun earlier.')
  }
  return finishRegistration(trip, sighting, begun, await trip.submit(begun))
}
