import { WalletError } from '../../wallet-error.ts'
import type { AgentCard } from './agent-card.ts'
import { minimalURI, urisOf } from './choose-uri.ts'
import { cardOf } from './prepare-card.ts'
import { readMetadata } from '../lookup/read-standing.ts'
import type { RegisteredAgent } from '../registration/registration.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'
import { readAgent } from '../registry/read-agent.ts'
import { unsaid } from './wanted-card.ts'

/**
 * The sentence that warns where a wallet that is registered already asks for another card than stands, or none. The file
 * that stands is not asked for: its URI follows from the card. Throws `RPC_UNAVAILABLE`.
 */
export async function cardNotWritten(context: RegistrationContext, standing: RegisteredAgent): Promise<string[]> {
  const card = askedCard(context)
  if (card !== null && (await stands(context, card, standing))) return []
  const { agentId } = standing
  return [
    `The wallet is registered already as agent ${agentId}, which stays as it stands: what this call says of it differs and was not written. Change it with updateAgent.`,
  ]
}

/** `null` for one that could not be registered either. */
function askedCard({ options, env, chain }: RegistrationContext): AgentCard | null {
  try {
    return cardOf({ options: { ...options, role: options.role ?? unsaid }, env, chain })
  } catch (error) {
    if (error instanceof WalletError) return null
    throw error
  }
}

async function stands(context: RegistrationContext, card: AgentCard, standing: RegisteredAgent): Promise<boolean> {
  const { agentURI, agentRegistry, tokenId } = standing
  const registration = `${agentRegistry}/${tokenId}`
  const linked = { ...card, metadata: { ...card.metadata, registration } }
  if (![card, linked].some((one) => urisOf(one).includes(agentURI))) return false
  if (agentURI !== minimalURI(card)) return true
  // The small file holds no metadata; registries of the older form keep none on chain either.
  const id = BigInt(tokenId)
  const kept = await readAgent(id, () => readMetadata(context, id, Object.keys(card.metadata)))
  const isKept = Object.keys(kept).length > 0
  return !isKept || Object.entries(card.metadata).every(([key, value]) => value === (kept[key] ?? ''))
}
