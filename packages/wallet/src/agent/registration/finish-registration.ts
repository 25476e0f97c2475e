import type { Submission } from '../../gas/submission.ts'
import { keepOutcome } from './keep-outcome.ts'
import type { RegistrySighting } from '../lookup/look-at-registry.ts'
import { registeredAgentIn } from '../lookup/registered-agent-in.ts'
import type { RegistrationResult } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationContext } from './registration-context.ts'

/**
 * Turns what became of the call into the result, and keeps it: the id is read out of the registry's own logs. Throws
 * `REGISTRATION_REVERTED` or `REGISTRATION_AMBIGUOUS`.
 */
export async function finishRegistration(
  context: RegistrationContext,
  { speech }: RegistrySighting,
  record: RegistrationRecord,
  submission: Submission,
): Promise<RegistrationResult> {
  const outcome = await keepOutcome(context, record, submission)
  if (outcome.status === 'deferred') return { ...outcome, code: 'REGISTRATION_DEFERRED' }
  if (outcome.status === 'pending') return { ...outcome, code: 'REGISTRATION_PENDING' }
  const { chain, registry, owner, progress } = context
  const { keep, logs, ...mined } = outcome
  const { txHash } = mined
  const expected = { chainId: chain.id, registry, owner, agentURI: record.agentURI, form: speech.form }
  const readId = async () => registeredAgentIn(logs, expected)
  const { agentId, tokenId } = await readId().catch(async (error: unknown) => {
    await keep({ state: 'sent', txHash })
    throw error
  })
  await keep({ state: 'registered', txHash, tokenId })
  progress('done', `Registered as agent ${agentId}.`, { txHash })
  return {
    ...mined,
    status: 'registered',
    agentId,
    tokenId,
    registrationMethod: record.method,
    agentURI: record.agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    owner,
    alreadyRegistered: false,
  }
}
