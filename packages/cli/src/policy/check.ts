import { catalogue, type Config } from '@svc/tool-server'
import { loadPolicy, policyHash, priceSourceFaults } from '@svc/tool-server/policy'
import { sayTaken } from '../say-taken.ts'
import { findPolicy } from './find-policy.ts'
import { policyPlace } from './policy-place.ts'
import { printProblems } from './print-problems.ts'
import { printable } from './printable.ts'
import { readFileAndFlags } from './read-file-and-flags.ts'

/** `svc policy check [FILE]`: every wrong member by name, or that all is in order and the hash audit lines name. */
export async function check(argv: readonly string[]): Promise<number> {
  const { file, flags } = readFileAndFlags(argv, { values: ['data-dir'], switches: ['production'] })
  const { config, path, worldChains } = await policyPlace(flags['data-dir'], file, process.env)
  const exists = await findPolicy(path, { file, dataDir: flags['data-dir'] })
  sayTaken({ worldChains, wallet: null })
  try {
    const policy = await loadPolicy(path, { production: config.production || flags.production })
    for (const note of notesOn(policy, config)) process.stdout.write(`note: ${printable(note)}\n`)
    const what = exists ? `${path} is in order` : `There is no ${path}, so the defaults hold`
    process.stdout.write(`${what}. Audit lines name this policy ${policyHash(policy)}.\n`)
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

/** What is allowed and yet probably not meant. */
function notesOn(policy: Awaited<ReturnType<typeof loadPolicy>>, { chains }: Config): readonly string[] {
  const writes = new Set(catalogue.filter(({ access: kind }) => kind === 'write').map(({ name }) => name))
  const ids = new Set(chains.map(({ id }) => `${id}`))
  const lists = {
    'allowlist.tokens': policy.allowlist.tokens,
    contracts: policy.contracts,
    recipients: policy.recipients,
    spenders: policy.spenders,
    priceSources: policy.priceSources,
    'valueRules.pools': policy.valueRules.pools,
  }
  const toolLists = [
    ...Object.entries(policy.principals).map(([id, { tools = [] }]) => [`principals.${id}.tools`, tools] as const),
    ['valueRules.tools', Object.keys(policy.valueRules.tools)] as const,
  ]
  return [
    ...toolLists.flatMap(([name, tools]) =>
      tools.flatMap((tool) => (writes.has(tool) ? [] : [`${name}: there is no write tool ${tool}`])),
    ),
    ...Object.entries(lists).flatMap(([name, byChain]) =>
      Object.keys(byChain).flatMap((id) => (ids.has(id) ? [] : [`${name}.${id}: no chain of this server has this id`])),
    ),
    ...priceSourceFaults(policy, chains).map(({ field, message }) => `${field}: says nothing: ${message}`),
  ]
}
