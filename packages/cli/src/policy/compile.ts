import { type AgentRole, compilePolicy, loadPolicy, roleTemplates, policyJsonSchema } from '@svc/engine/policy'
import type { Chain } from '@svc/wallet/core'
import { parseFlags } from '../parse-words-and-flags.ts'
import type { ServerSettings } from '../server-settings.ts'
import { UsageError } from '../usage-error.ts'
import { findPolicy, policyPlace, printProblems, sayPolicy } from './policy-place.ts'

/** `svc policy compile`: the policy as the managed wallet's provider takes it, as JSON; which one it is stands on stderr. */
export async function compile(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['provider', 'template', 'chains', 'policy', 'data-dir'] })
  if ((flags.provider ?? 'privy') !== 'privy') throw new UsageError('--provider takes privy')
  const role = flags.template ?? 'vault_participant'
  if (!isRole(role)) throw new UsageError(`--template takes ${Object.keys(roleTemplates).join(', ')}`)
  const file = flags.policy ?? null
  const { config, path, worldChains } = await policyPlace(flags['data-dir'], file, process.env)
  const exists = await findPolicy(path, file)
  const configured = configuredChains({ config, worldChains })
  const unasked = configured.length > 0 ? configured : config.chains.filter(({ testnet }) => !testnet)
  const chains = flags.chains === undefined ? unasked : namedChains(config.chains, flags.chains.split(','))
  try {
    // The provider signs for a server in production, so the policy is the one that holds there.
    const policy = await loadPolicy(path, { production: true })
    sayPolicy(path, exists)
    if (flags.chains === undefined) sayChains(unasked, configured.length > 0)
    process.stdout.write(`${JSON.stringify(compilePolicy(policy, chains, { role }), null, 2)}\n`)
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

/** Those with an endpoint of their own, and those of a local world. */
export function configuredChains({ config, worldChains }: Pick<ServerSettings, 'config' | 'worldChains'>) {
  return config.chains.filter(({ id }) => config.rpc.urls.has(id) || worldChains?.ids.has(id))
}

function namedChains(chains: readonly Chain[], names: readonly string[]): readonly Chain[] {
  const named = chains.filter(({ id, name }) => names.includes(`${id}`) || names.includes(name))
  if (named.length === names.length) return named
  throw new UsageError('--chains takes ids or names of chains of this server, with commas between them')
}

/** A policy of many chains is long, so whoever named none hears how to have fewer. */
function sayChains(chains: readonly Chain[], areConfigured: boolean): void {
  const which = areConfigured
    ? 'with an endpoint of their own'
    : 'all mainnets, for no chain has an endpoint of its own'
  process.stderr.write(`Chains: ${chains.map(({ name }) => name).join(', ')} (${which}); --chains names others\n`)
}

function isRole(name: string): name is AgentRole {
  return Object.hasOwn(roleTemplates, name)
}

/** `svc policy schema`: the JSON Schema of policy.json. */
export async function schema(argv: readonly string[]): Promise<number> {
  parseFlags(argv, { values: [] })
  process.stdout.write(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`)
  return 0
}
