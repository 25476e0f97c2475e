import { type AgentRole, compilePolicy, loadPolicy, roleTemplates } from '@svc/tool-server/policy'
import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'
import { findPolicy } from './find-policy.ts'
import { policyPlace } from './policy-place.ts'
import { printProblems } from './print-problems.ts'
import { sayPolicy } from './say-policy.ts'

/** `svc policy compile`: the policy as the managed wallet's provider takes it, as JSON; which one it is stands on stderr. */
export async function compile(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['provider', 'template', 'chains', 'policy', 'data-dir'] })
  if ((flags.provider ?? 'privy') !== 'privy') throw new UsageError('--provider takes privy')
  const role = flags.template ?? 'vault_participant'
  if (!isRole(role)) throw new UsageError(`--template takes ${Object.keys(roleTemplates).join(', ')}`)
  const file = flags.policy ?? null
  const { config, path } = await policyPlace(flags['data-dir'], file, process.env)
  const exists = await findPolicy(path, { file, dataDir: flags['data-dir'] })
  const asked = flags.chains?.split(',')
  const chains = config.chains.filter(({ id, name, testnet }) =>
    asked === undefined ? !testnet : asked.includes(`${id}`) || asked.includes(name),
  )
  if (chains.length === 0 || (asked !== undefined && chains.length !== asked.length)) {
    throw new UsageError('--chains takes ids or names of chains of this server, with commas between them')
  }
  try {
    // The provider signs for a server in production, so the policy is the one that holds there.
    const policy = await loadPolicy(path, { production: true })
    sayPolicy(path, exists)
    process.stdout.write(`${JSON.stringify(compilePolicy(policy, chains, { role }), null, 2)}\n`)
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

function isRole(name: string): name is AgentRole {
  return Object.hasOwn(roleTemplates, name)
}
