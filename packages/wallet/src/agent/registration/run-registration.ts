import type { Submission } from '../../gas/submission.ts'
import { keepOutcome } from './keep-outcome.ts'
import { lookAtRegistry, type RegistrySighting } from '../lookup/look-at-registry.ts'
import { registeredAgentIn } from '../lookup/registered-agent-in.ts'
import type { RegistrationResult } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import {
  openRegistrationContext,
  type RegistrationContext,
  type RegistrationContextOptions,
} from './registration-context.ts'
import type { ServiceWallet } from '../../service-wallet.ts'
import { requireOptions } from '../../require-options.ts'
import { requireWallet } from '../../require-wallet.ts'
import { registrationChecks } from '../agent-options.ts'
import { templateOf } from '../card/build-agent-card.ts'
import { cardNotWritten } from '../card/card-not-written.ts'
import { findIdentity } from '../lookup/find-identity.ts'
import { prepareCard } from '../card/prepare-card.ts'
import { submitRegistration } from './submit-registration.ts'
import { underWay } from './under-way.ts'
import { unsaid } from '../card/wanted-card.ts'
import { WalletError } from '../../wallet-error.ts'

/** What `registerAgent` does, in its order; loaded with the first registration. */
export async function runRegistration(
  wallet: ServiceWallet,
  options: RegistrationContextOptions,
): Promise<RegistrationResult> {
  requireWallet(wallet)
  requireOptions(options, registrationChecks)
  if (options.resume === undefined) templateOf({ ...options, role: options.role ?? unsaid })
  const context = await openRegistrationContext(wallet, options)
  return context.inTurn(() => registerInTurn(context))
}

async function registerInTurn(context: RegistrationContext): Promise<RegistrationResult> {
  const { options } = context
  context.progress('check-chain', `Looking at the registry ${context.registry} on chain ${context.chain.id}.`)
  const sighting = await lookAtRegistry(context, context.owner)
  const begun = await underWay(context)
  if (begun !== null && (await context.signed(begun.token)) > 0) return goOn(context, sighting, begun)
  const isEnded = options.resume !== undefined && begun === null
  const known = options.force === true && !isEnded ? null : await findIdentity(context, sighting)
  if (known !== null) {
    // Another process registered meanwhile, or this one did under another record.
    if (begun !== null) await context.records.save({ ...begun, state: 'failed', updatedAt: context.now() })
    return options.resume === undefined
      ? { ...known, warnings: [...known.warnings, ...(await cardNotWritten(context, known))] }
      : known
  }
  if (begun !== null) return goOn(context, sighting, begun)
  if (isEnded) throw new WalletError('RESUME_TOKEN_INVALID', 'The registration of the token is ended, its agent gone.')
  const card = prepareCard({ ...context, options: { ...options, role: options.role ?? unsaid } })
  const { record, submission } = await submitRegistration(context, sighting, card)
  return finishRegistration(context, sighting, record, submission)
}

async function goOn(context: RegistrationContext, sighting: RegistrySighting, begun: RegistrationRecord) {
  const { options, warnings, progress } = context
  if (options.resume === undefined) {
    warnings.push('A registration that was begun earlier is gone on with; what this call asks for is not looked at.')
    progress('send', 'Going on with the registration that was begun earlier.')
  }
  return finishRegistration(context, sighting, begun, await context.submit(begun))
}

/**
 * Turns what became of the call into the result, and keeps it: the id is read out of the registry's own logs. Throws
 * `REGISTRATION_REVERTED` or `REGISTRATION_AMBIGUOUS`.
 */
async function finishRegistration(
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
