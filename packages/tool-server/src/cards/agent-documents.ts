import { isOffered } from '../dispatch/offered-tools.ts'
import type { Config } from '../config/config-shape.ts'
import type { Tool } from '../tool.ts'
import { type Toolset, toolsetNames, toolsets } from '../config/toolsets.ts'

/** What the server says of itself to whoever asks, by path: facts and settings of its own, and nothing of a caller, a wallet or a chain. */
export type AgentDocuments = ReadonlyMap<string, () => string>

export function createAgentDocuments(options: DocumentOptions): AgentDocuments {
  const card = () => JSON.stringify(agentCard(options))
  const registration = () => JSON.stringify({ registrations: registrationsOf(options.config) })
  return new Map([
    [cardPath, card],
    [formerCardPath, card],
    ...(options.config.agent === null ? [] : [[registrationPath, registration] as const]),
  ])
}

/** Where A2A has it since 0.3, and where it was before. */
const [cardPath, formerCardPath] = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const

/** The proof of ERC-8004 that whoever has the domain means this agent. */
export const registrationPath = '/.well-known/agent-registration.json'

/** Where such documents may stand. */
export const documentPaths = [cardPath, formerCardPath, registrationPath] as const

/** The agent that the operator names, as registration files name it. */
export function registrationsOf({ agent }: Pick<Config, 'agent'>): readonly Registration[] {
  if (agent === null) return []
  const { chain, registry, tokenId } = agent
  return [{ agentId: Number(tokenId), agentRegistry: `eip155:${chain.id}:${registry}` }]
}

export type Registration = { readonly agentId: number; readonly agentRegistry: string }

type DocumentOptions = {
  readonly config: Pick<Config, 'agent' | 'profile' | 'toolsets' | 'upstream'>
  readonly tools: readonly Pick<Tool, 'name' | 'inDataProfile'>[]
  readonly version: string
  /** Where clients reach `/mcp`; asked once it is known. */
  readonly servedAt: () => string
}

/** A card of A2A 0.3 for a server that speaks MCP, which it says: its one interface is no transport of A2A. */
function agentCard({ config, tools, version, servedAt }: DocumentOptions) {
  const ofProfile = tools.filter((tool) => isOffered(tool, config.profile, config.toolsets))
  const offered = new Set(ofProfile.map(({ name }) => name))
  return {
    protocolVersion: '0.3.0',
    name: config.upstream.agentName ?? 'svc',
    description:
      'Reads and manages AMM liquidity (v2, v3, v4) by tools of the Model Context Protocol, within the limits its operator sets.',
    url: servedAt(),
    preferredTransport: 'MCP',
    version,
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: toolsetNames.flatMap((id) => {
      const tags = toolsets[id].filter((name) => offered.has(name))
      return tags.length === 0 ? [] : [{ id, ...skills[id], tags }]
    }),
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
    registrations: registrationsOf(config),
  }
}

const skills: Readonly<Record<Toolset, { readonly name: string; readonly description: string }>> = {
  market: { name: 'Markets', description: 'Prices, pools, quotes and their past.' },
  positions: { name: 'Positions', description: 'Positions of an owner, what they earned, and watches over them.' },
  liquidity: { name: 'Liquidity', description: 'Choosing, opening, moving and closing positions.' },
  trade: { name: 'Trades', description: 'Swaps and orders, signed, over time and across chains.' },
  vaults: { name: 'Vaults', description: 'What a vault would bring, deposits and withdrawals.' },
  wallet: { name: 'Wallet', description: 'Balances, transactions and identities of agents.' },
}
