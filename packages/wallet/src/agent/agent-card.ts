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

export type AgentDomain = { readonly domain: string; readonly primary: boolean }

export type AgentService = { readonly type: 'mcp' | 'a2a'; readonly url: string }

export type AgentTrust = { readonly reputation: boolean; readonly cryptoEconomic: boolean; readonly zkml: boolean }

export type AgentRole = 'vault_participant' | 'vault_manager' | 'vault_creator'
