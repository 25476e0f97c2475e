import { WalletError } from '../../wallet-error.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'
import type { IpfsMode } from '../registration/registration.ts'
import type { AgentCard } from './agent-card.ts'
import { type AgentCardOptions, buildAgentCard, optionNames } from './build-agent-card.ts'

/**
 * The card that is registered: options first, then `SVC_AGENT_NAME`, then the role's template. Throws
 * `VALIDATION_CARD_INVALID` and `VALIDATION_CONFIG_INVALID`.
 */
export function prepareCard(context: CardContext): AgentCard {
  const card = cardOf(context)
  context.progress('build-card', `Registering ${JSON.stringify(card.name)} as ${card.metadata['role']}.`)
  return card
}

/** The same, before anything comes of it. */
export function cardOf({ options, env, chain }: Omit<CardContext, 'progress'>): AgentCard {
  const name = options.name ?? (env['SVC_AGENT_NAME'] || undefined)
  if (name === undefined) {
    const accepted = 'the option name, or SVC_AGENT_NAME in the environment'
    throw new WalletError(
      'VALIDATION_CARD_INVALID',
      `The agent card is not valid: name is missing (accepted: ${accepted}).`,
      {
        details: { fields: [{ field: 'name', accepted }] },
      },
    )
  }
  const ofVariable = options.name === undefined ? [['name', 'SVC_AGENT_NAME'] as const] : []
  return buildAgentCard({ ...options, name }, chain.id, new Map([...optionNames(options), ...ofVariable]))
}

/** What of the context bears on the card. */
type CardContext = Pick<RegistrationContext, 'env' | 'chain' | 'progress'> & {
  readonly options: AgentCardOptions
}

/** The sentence that warns of what the small file of the third tier does not say of a card, and why it was written; or none. */
export function leftOutOfMinimal({ services, metadata, domains, trust }: AgentCard, why: WhySmall): string[] {
  const leftOut = [
    ...services.slice(1).map(({ type }) => `the ${type} service`),
    ...(metadata['image'] ? ['image'] : []),
    // The first service of the file, where the card has none, is the taxonomy, which names them.
    ...(domains.length === 0 || services.length === 0 ? [] : ['domains']),
    ...(Object.values(trust).includes(true) ? ['trust'] : []),
  ]
  if (leftOut.length === 0) return []
  const what = `The small file of a direct registration leaves out: ${leftOut.join(', ')}.`
  return [`${what} It is written in the place of the whole card since ${reasons[why]}.`]
}

/** Why a registration comes to the small file. */
export type WhySmall = keyof typeof reasons

const reasons = {
  'no-sdk':
    'no identity SDK (agent0-sdk) is there to register by; updateAgent adds what it is given, and all of it with replace: true and the options of this call',
  'sdk-failed':
    'the identity SDK failed; updateAgent adds what it is given, and all of it with replace: true and the options of this call',
  'handle-v0': 'registries of the form handle-v0 take no other',
} as const

/** The sentence that warns where a mode that pins had nothing pinned, since the tier has no file beside its URI. */
export function nothingPinned(mode: IpfsMode, form: RegistryForm): string[] {
  if (mode === 'inline') return []
  const why =
    form === 'handle-v0'
      ? 'a registry of the form handle-v0 is called directly'
      : 'the registry was called without the identity SDK (agent0-sdk)'
  return [`Nothing was pinned by ipfsMode "${mode}": ${why}, and the small file is in the URI itself.`]
}
