import type { Hex } from 'viem'
import type { AgentCard } from './agent-card.ts'
import type { RegistrySpeech } from '../registry/registry-form.ts'

/** Calldata of the registry's own call for a card whose file is at the URI. */
export function encodeRegistration(speech: RegistrySpeech, card: AgentCard, agentURI: string): Hex {
  return speech.encodeRegister({ ...entriesOf(card), metadataURI: agentURI, metadata: card.metadata })
}

/** What the direct call says of a card besides its metadata. */
export function entriesOf(card: AgentCard) {
  return { handle: card.name, interfaceType: card.services[0]?.type ?? 'none' } as const
}
