import type { Hex } from 'viem'
import type { AgentCard } from '../card/agent-card.ts'
import { chooseURI, minimalURI, requireMode, type ChosenURI } from '../card/choose-uri.ts'
import { encodeRegistration } from '../card/encode-registration.ts'
import { leftOutOfMinimal, nothingPinned } from '../card/left-out-of-minimal.ts'
import { loadIdentitySdk, type IdentitySdk } from './load-identity-sdk.ts'
import type { RegistrySighting } from '../lookup/look-at-registry.ts'
import { registerThroughSdk } from './register-through-sdk.ts'
import type { RegistrationContext } from './registration-context.ts'
import { submitRecorded, type Submitted } from './submit-recorded.ts'

/**
 * Tries the tiers in order. The first of them that comes to a signature is the last: from then on there is one
 * registration, known by the token of its record. What the mode needs must be there whichever tier it comes to.
 */
export async function submitRegistration(
  context: RegistrationContext,
  { speech }: RegistrySighting,
  card: AgentCard,
): Promise<Submitted> {
  const mode = requireMode(context)
  const sdk = speech.form === 'erc8004-v1' ? await loadIdentitySdk(context, mode) : null
  if (sdk !== null) {
    const { method, agentURI } = await chooseURI(context, card)
    const submitted = await throughSdk(context, sdk, card, { method, agentURI })
    if (submitted !== null) return submitted
  }
  const agentURI = minimalURI(card)
  context.warnings.push(...leftOutOfMinimal(card), ...(sdk === null ? nothingPinned(mode, speech.form) : []))
  const data = encodeRegistration(speech, card, agentURI)
  return submitRecorded(context, { method: 'direct-contract', agentURI, data })
}

/**
 * `null` when the SDK failed by itself before it asked for a signature. What our own sending refused is not fixed by
 * another tier: a policy said no, or the chain did.
 */
async function throughSdk(
  context: RegistrationContext,
  sdk: IdentitySdk,
  card: AgentCard,
  { method, agentURI }: ChosenURI,
): Promise<Submitted | null> {
  const sent: { once?: Promise<Submitted> } = {}
  const send = (data: Hex): Promise<Submitted> => (sent.once ??= submitRecorded(context, { method, agentURI, data }))
  const failed = await registerThroughSdk(context, sdk, card, agentURI, send).then(
    () => false,
    () => true,
  )
  if (sent.once !== undefined) return sent.once
  if (failed) {
    const { attempts, warnings, progress } = context
    const reason = 'The identity SDK failed before anything was sent.'
    attempts.push({ kind: 'registration', tier: method, outcome: 'failed', code: 'IDENTITY_SDK_FAILED', reason })
    warnings.push(`${reason} The registry was called directly.`)
    progress('fallback', `${reason} Calling the registry directly.`)
  }
  return null
}
