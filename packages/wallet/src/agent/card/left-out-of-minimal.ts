import type { AgentCard } from './agent-card.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'
import type { IpfsMode } from '../registration/registration.ts'

/** The sentence that warns of what the small file of the third tier does not say of a card, or none. */
export function leftOutOfMinimal({ services, metadata, domains, trust }: AgentCard): string[] {
  const leftOut = [
    ...services.slice(1).map(({ type }) => `the ${type} service`),
    ...(metadata['image'] ? ['image'] : []),
    ...(domains.length === 0 ? [] : ['domains']),
    ...(Object.values(trust).includes(true) ? ['trust'] : []),
  ]
  return leftOut.length === 0 ? [] : [`The small file of a direct registration leaves out: ${leftOut.join(', ')}.`]
}

/** The sentence that warns where a mode that pins had nothing pinned, since the tier has no file beside its URI. */
export function nothingPinned(mode: IpfsMode, form: RegistryForm): string[] {
  if (mode === 'inline') return []
  const why =
    form === 'handle-v0'
      ? 'a registry of the form handle-v0 is called directly'
      : 'the registry was called without the identity SDK (agent0-sdk)'
  return [`Nothing was pinned by ipfsMode "${mode}": ${why}, and the small file is in the URI itself.`]
}
