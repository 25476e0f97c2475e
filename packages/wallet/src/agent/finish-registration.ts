import type { Submission } from '../gas/submission.ts'
import { WalletError } from '../wallet-error.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import { registeredAgentIn } from './registered-agent-in.ts'
import type { RegistrationAttempt, RegistrationResult } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/**
 * Turns what became of the call into the result, and keeps it: the id is read out of the registry's own logs, and the URI
 * is read back. Throws `REGISTRATION_REVERTED` or `REGISTRATION_AMBIGUOUS`.
 */
export async function finishRegistration(
  trip: RegistrationTrip,
  { speech }: RegistrySighting,
  record: RegistrationRecord,
  submission: Submission,
): Promise<RegistrationResult> {
  const { chain, registry, owner, records, now, progress, warnings } = trip
  const attempts = attemptsOf(trip, record, submission)
  // The record as it stands: the way to the chain may have kept an operation in it.
  const keep = async (change: Partial<RegistrationRecord>) =>
    records.save({ ...((await records.load(record.token)) ?? record), ...change, updatedAt: now() })
  const common = { chainId: chain.id, attempts, warnings: [...warnings, ...submission.warnings] }
  if (submission.status === 'deferred') {
    await keep({ state: 'deferred' })
    return {
      status: 'deferred',
      code: 'REGISTRATION_DEFERRED',
      resumeToken: record.token,
      fund: submission.fund,
      ...common,
    }
  }
  if (submission.status === 'pending') {
    const { txHash, userOperationHash } = submission
    await keep({ state: 'sent', txHash, userOperationHash })
    return {
      status: 'pending',
      code: 'REGISTRATION_PENDING',
      resumeToken: record.token,
      txHash,
      userOperationHash,
      ...common,
    }
  }
  const { txHash } = submission
  if (submission.status === 'reverted') {
    await keep({ state: 'failed', txHash })
    const said = submission.reason === null ? '' : `: ${submission.reason}`
    throw new WalletError('REGISTRATION_REVERTED', `The registration was mined and reverted${said}.`, {
      details: { txHash },
    })
  }
  const expected = { chainId: chain.id, registry, owner, agentURI: record.agentURI, form: speech.form }
  const readId = async () => registeredAgentIn(submission.logs, expected)
  const { agentId, tokenId } = await readId().catch(async (error: unknown) => {
    await keep({ state: 'sent', txHash })
    throw error
  })
  await keep({ state: 'registered', txHash, tokenId })
  progress('done', `Registered as agent ${agentId}.`, { txHash })
  return {
    status: 'registered',
    agentId,
    tokenId,
    registrationMethod: record.method,
    agentURI: record.agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    owner,
    txHash,
    gasTier: submission.gasTier,
    alreadyRegistered: false,
    ...common,
  }
}

function attemptsOf(
  { attempts }: RegistrationTrip,
  { method }: RegistrationRecord,
  submission: Submission,
): readonly RegistrationAttempt[] {
  const outcome = submission.status === 'mined' ? 'done' : submission.status === 'reverted' ? 'failed' : 'pending'
  return [...attempts, ...submission.attempts, { kind: 'registration', tier: method, outcome }]
}
