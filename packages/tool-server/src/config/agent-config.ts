import { registryOf } from '@svc/engine'
import { type Chain, findChain, Secret } from '@svc/wallet/core'
import type { Config, ConfigProblem, ProvisionConfig } from './config-shape.ts'
import type { Settings } from './schema.ts'

/** The agent that this server is, as its operator says; `null` where none is named, or where it is named wrongly, which `agentRules` says. */
export function readAgent(
  { SVC_AGENT_ID: named }: Pick<Settings, 'SVC_AGENT_ID'>,
  chains: readonly Chain[],
): Config['agent'] {
  const [chainId, tokenId = ''] = named?.split(':') ?? []
  const chain = chains.find(({ id }) => `${id}` === chainId)
  const registry = chain === undefined ? null : registryOf(chain)
  return chain === undefined || registry === null ? null : { chain, registry: registry.address, tokenId }
}

/** An agent is one of a registry that this server reads. */
export function agentRules({ agent, chains }: Config, { SVC_AGENT_ID: named }: Settings): readonly ConfigProblem[] {
  if (named === undefined || agent !== null) return []
  const ids = chains.filter((chain) => registryOf(chain) !== null).map(({ id }) => id)
  const message = `This server reads no registry of agents there. Accepted: one of the chains ${ids.join(', ')}, then : and the id of its token.`
  return [{ code: 'SETTING_INVALID', setting: 'SVC_AGENT_ID', message, fix: 'Correct SVC_AGENT_ID.' }]
}

/** The wallet that `provision_wallet` may make; `null` where the operator allows none, or its settings are not complete. */
export function readProvision(values: Settings, chains: readonly Chain[]): ProvisionConfig | null {
  const { SVC_PROVISION_ROLE: role, SVC_PROVISION_OWNER_KEY: ownerPublicKey, WALLET_TYPE: type } = values
  const { WALLET_APP_ID: appId, WALLET_APP_SECRET: appSecret, WALLET_AUTH_PRIVATE_KEY: authPrivateKey } = values
  // A server that only reads signs nothing, and makes nothing to sign with.
  if (type !== 'managed' || values.SVC_MCP_PROFILE === 'data') return null
  if (role === undefined || ownerPublicKey === undefined || appId === undefined || appSecret === undefined) return null
  return {
    role,
    ownerPublicKey,
    chains: values.SVC_PROVISION_CHAINS.flatMap((name) => findChain(chains, name) ?? []),
    appId,
    appSecret: new Secret(appSecret),
    authPrivateKey: authPrivateKey === undefined ? null : new Secret(authPrivateKey),
    apiUrl: values.SVC_WALLET_API_URL ?? null,
  }
}

/** What is missing to it, and chains that this server does not have. */
export function provisionRules(values: Settings, chains: readonly Chain[]): readonly ConfigProblem[] {
  if (values.SVC_PROVISION_ROLE === undefined || values.WALLET_ID !== undefined) return []
  const needed = ['WALLET_APP_ID', 'WALLET_APP_SECRET', 'SVC_PROVISION_OWNER_KEY'] as const
  const missing = needed.filter((name) => values[name] === undefined)
  const unknown = values.SVC_PROVISION_CHAINS.filter((name) => findChain(chains, name) === undefined)
  const accepted = chains.map(({ name }) => name).join(', ')
  return [
    ...(values.WALLET_TYPE === 'managed'
      ? []
      : [problem('SETTING_MISSING', 'WALLET_TYPE', 'Set WALLET_TYPE=managed.')]),
    ...missing.map((name) => problem('SETTING_MISSING', name, `Set ${name}.`)),
    ...(unknown.length === 0
      ? []
      : [problem('SETTING_INVALID', 'SVC_PROVISION_CHAINS', `Accepted: some of ${accepted}.`)]),
  ]
}

function problem(code: 'SETTING_MISSING' | 'SETTING_INVALID', setting: string, fix: string): ConfigProblem {
  const message = code === 'SETTING_MISSING' ? 'SVC_PROVISION_ROLE needs it.' : 'This server has no such chain.'
  return { code, setting, message, fix }
}
