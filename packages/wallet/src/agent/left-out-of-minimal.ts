import type { AgentCard } from './agent-card.ts'

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
