/** What an agent says of itself, in the shape of the support API. */
export type AgentCard = {
  readonly name: string
  readonly description: string
  readonly domains: readonly AgentDomain[]
  readonly services: readonly AgentService[]
  readonly trust: AgentTrust
  /** Known keys: `protocol:name`, `role`, `vault:chain` (the chain id as a string). */
  readonly metadata: Readonly<Record<string, string>>
}

/** A field of work as the OASF taxonomy names it, `technology/blockchain` for example. */
export type AgentDomain = { readonly domain: string; readonly primary: boolean }

/** Where the agent is reached: `mcp` for tools, `a2a` for other agents. */
export type AgentService = { readonly type: 'mcp' | 'a2a'; readonly url: string }

/** By what an agent says it can be trusted: reputation, crypto-economic stake, zero-knowledge proofs. */
export type AgentTrust = { readonly reputation: boolean; readonly cryptoEconomic: boolean; readonly zkml: boolean }

/** Selects the template of the card. It is what the agent says of itself, and grants nothing. */
export type AgentRole = 'vault_participant' | 'vault_manager' | 'vault_creator'
