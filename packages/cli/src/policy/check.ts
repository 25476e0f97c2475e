import { catalogue, type Config } from '@svc/tool-server'
import { loadPolicy, type Policy, policyHash, priceSourceFaults } from '@svc/engine/policy'
import { sayTaken } from '../say-taken.ts'
import { findPolicy, policyPlace } from './policy-place.ts'
import { printable, printProblems } from './print-problems.ts'
import { readFileAndFlags } from './read-file-and-flags.ts'

/** `svc policy check [FILE]`: every wrong member by name, or that all is in order and the hash audit lines name. */
export async function check(argv: readonly string[]): Promise<number> {
  const { file, flags } = readFileAndFlags(argv, { values: ['data-dir'], switches: ['production'] })
  const { config, path, worldChains } = await policyPlace(flags['data-dir'], file, process.env)
  const exists = await findPolicy(path, { file, dataDir: flags['data-dir'] })
  sayTaken({ worldChains, wallet: null })
  try {
    const policy = await loadPolicy(path, { production: config.production || flags.production })
    for (const note of policyNotes(policy, config)) process.stdout.write(`note: ${printable(note)}\n`)
    const what = exists ? `${path} is in order` : `There is no ${path}, so the defaults hold`
    process.stdout.write(`${what}. Audit lines name this policy ${policyHash(policy)}.\n`)
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

/** What a policy may say and yet probably does not mean, a sentence each that begins with the member. */
function policyNotes(policy: Policy, { chains }: Pick<Config, 'chains'>): readonly string[] {
  return [
    ...unknownTools(policy),
    ...unknownChains(policy, chains),
    ...priceSourceFaults(policy, chains).map(({ field, message }) => `${field}: says nothing: ${message}`),
    ...limitsThatStop(policy),
  ]
}

function unknownTools({ principals, valueRules }: Policy): readonly string[] {
  const writes = new Set(catalogue.filter(({ access: kind }) => kind === 'write').map(({ name }) => name))
  const lists = [
    ...Object.entries(principals).map(([id, { tools = [] }]) => [`principals.${id}.tools`, tools] as const),
    ['valueRules.tools', Object.keys(valueRules.tools)] as const,
  ]
  return lists.flatMap(([name, tools]) =>
    tools.flatMap((tool) => (writes.has(tool) ? [] : [`${name}: there is no write tool ${tool}`])),
  )
}

function unknownChains(policy: Policy, chains: Config['chains']): readonly string[] {
  const ids = new Set(chains.map(({ id }) => `${id}`))
  const lists = {
    'allowlist.tokens': policy.allowlist.tokens,
    contracts: policy.contracts,
    twammHooks: policy.twammHooks,
    batchDelegate: policy.batchDelegate,
    recipients: policy.recipients,
    spenders: policy.spenders,
    priceSources: policy.priceSources,
    'valueRules.pools': policy.valueRules.pools,
  }
  return Object.entries(lists).flatMap(([name, byChain]) =>
    Object.keys(byChain).flatMap((id) => (ids.has(id) ? [] : [`${name}.${id}: no chain of this server has this id`])),
  )
}

/** Limits that together allow less than each says, up to nothing at all. */
function limitsThatStop(policy: Policy): readonly string[] {
  const { limitsUsd, approvalThresholdUsd, approvals, maxDailyGasUsd } = policy
  const never =
    approvalThresholdUsd !== null && Number(approvalThresholdUsd) >= Number(limitsUsd.perTransaction)
      ? [
          `approvalThresholdUsd: no spend asks a person, since none may be above limitsUsd.perTransaction (${limitsUsd.perTransaction})`,
        ]
      : []
  const nobody =
    approvals.channels.length === 0
      ? ['approvals.channels: nobody can say yes, so whatever needs a person is never carried out']
      : []
  const noGas =
    maxDailyGasUsd !== undefined && Number(maxDailyGasUsd) === 0
      ? ['maxDailyGasUsd: without gas only what brings funds home is signed, and little of that']
      : []
  return [...never, ...nobody, ...noGas]
}
