import type { AgentCard, AgentDomain, AgentRole } from './card/agent-card.ts'

const domains = {
  management: { domain: 'finance_and_business/asset_management', primary: false },
  software: { domain: 'technology/software_development', primary: false },
} as const satisfies Record<string, AgentDomain>

/** What a card says when its owner says nothing else, by role. */
export const roleTemplates: Readonly<Record<AgentRole, RoleTemplate>> = Object.freeze({
  vault_participant: template('Takes part in liquidity vaults on behalf of its owner.', []),
  vault_manager: template('Manages the liquidity of vaults within the limits its owner sets.', ['management']),
  vault_creator: template('Creates and manages liquidity vaults within the limits its owner sets.', [
    'management',
    'software',
  ]),
})

export type RoleTemplate = Pick<AgentCard, 'description' | 'domains' | 'trust'> & {
  /** Whether an `a2a` service belongs to the role. */
  readonly mayServeA2a: boolean
}

function template(description: string, more: readonly (keyof typeof domains)[]): RoleTemplate {
  return Object.freeze({
    description,
    domains: [
      { domain: 'finance_and_business/investment_services', primary: true },
      ...more.map((name) => domains[name]),
    ],
    trust: { reputation: true, cryptoEconomic: true, zkml: false },
    mayServeA2a: more.length > 0,
  })
}
