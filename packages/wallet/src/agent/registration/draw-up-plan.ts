import { requireOptions } from '../../require-options.ts'
import { planChecks } from '../agent-options.ts'
import { chooseURI, minimalURI, requireMode } from '../card/pin-card.ts'
import { encodeRegistration } from '../card/registration-file.ts'
import { leftOutOfMinimal, nothingPinned, prepareCard } from '../card/build-agent-card.ts'
import { lookAtRegistry } from '../lookup/look-at-registry.ts'
import { openRegistryToRead } from '../lookup/open-registry.ts'
import type { PlanOptions, RegistrationPlan } from './plan-registration.ts'
import { supportApiUrl } from '../../service-urls.ts'
import { abortable, throwIfAborted } from '../../with-deadline.ts'
import type { RegistrationAttempt, RegistrationProgress } from './registration.ts'

/** What `planRegistration` does; loaded with its first call. */
export async function drawUpPlan(options: PlanOptions): Promise<RegistrationPlan> {
  requireOptions(options, planChecks, { needed: ['chainId', 'owner'] })
  return abortable(options.signal).until(() => planFor(options))
}

async function planFor(options: PlanOptions): Promise<RegistrationPlan> {
  const { chainId, owner, env = process.env, appId = null, onProgress } = options
  const place = openRegistryToRead(options)
  supportApiUrl(options.apiUrl, env)
  const attempts: RegistrationAttempt[] = []
  const warnings: string[] = []
  const progress = (step: RegistrationProgress['step'], message: string) => onProgress?.({ step, message })
  const context = {
    ...place,
    options,
    env,
    attempts,
    warnings,
    progress,
    wallet: { appId },
    fetch: options.fetch ?? fetch,
  }
  const card = prepareCard(context)
  const mode = requireMode(context)
  progress('check-chain', `Looking at the registry ${place.registry} on chain ${chainId}.`)
  const { speech } = await lookAtRegistry(place, owner)
  throwIfAborted(options.signal)
  // The older form keeps the small URI of the spec; there the file is no more than what the URI leads to.
  const isSmall = speech.form === 'handle-v0'
  const agentURI = isSmall ? minimalURI(card) : (await chooseURI(context, card)).agentURI
  if (isSmall) warnings.push(...leftOutOfMinimal(card, 'handle-v0'), ...nothingPinned(mode, speech.form))
  return {
    chainId,
    registry: place.registry,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    form: speech.form,
    owner,
    card,
    agentURI,
    registrationMethod: 'direct-contract',
    to: place.registry,
    data: encodeRegistration(speech, card, agentURI),
    attempts,
    warnings,
  }
}
