import { catalogue, type Config } from '@svc/tool-server'
import { loadPolicy, type Policy, policyHash, priceSourceFaults, runPolicyCases } from '@svc/engine/policy'
import { sayTaken } from '../server-settings.ts'
import { findPolicy, policyPlace, isThere, printable, printProblems, sayPolicy } from './policy-place.ts'
import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { readInputFile } from '../read-input-file.ts'

/**
 * `svc policy check [FILE]`: every wrong member by name, or that all is in order and the hash audit lines name. Resolves to 1 where there
 * is no policy, too: nothing was checked.
 */
export async function check(argv: readonly string[]): Promise<number> {
  const { file, flags } = readFileAndFlags(argv, { values: ['data-dir'], switches: ['production'] })
  const { config, path, worldChains } = await policyPlace(flags['data-dir'], file, process.env)
  const exists = await findPolicy(path, file)
  sayTaken({ worldChains, wallet: null })
  try {
    const policy = await loadPolicy(path, { production: config.production || flags.production })
    for (const note of policyNotes(policy, config)) process.stdout.write(`note: ${printable(note)}\n`)
    const hash = `Audit lines name ${exists ? 'this policy' : 'the defaults'} ${policyHash(policy)}.`
    if (exists) process.stdout.write(`${path} is in order. ${hash}\n`)
    else process.stderr.write(`Nothing was checked: there is no ${path}. ${withoutPolicy} ${hash} ${noPolicyFix}\n`)
    return exists ? 0 : 1
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

/** What holds where there is no policy.json. */
export const withoutPolicy =
  'A server started now would take the defaults; one that runs and had the file signs nothing until it is back.'

const noPolicyFix =
  'Name the data directory of the server with --data-dir, or write a policy there: docs/policy.md has one to begin with.'

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
    vaults: policy.vaults,
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

/** Splits the words after a subcommand into at most one file and its flags, in any order. Throws `UsageError`. */
function readFileAndFlags<const Name extends string, const Switch extends string>(
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly file: string | null; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [file = null, more] = words
  if (more !== undefined) throw new UsageError(`one file is read at a time: "${more.slice(0, 80)}" is one too many`)
  return { file, flags }
}

/**
 * `svc policy test [FILE]`: runs named cases (`policy.test.json` beside the policy) against the policy, offline. Resolves
 * to 1 when a case does not get what it expects.
 */
export async function runCases(argv: readonly string[]): Promise<number> {
  const { file, flags } = readFileAndFlags(argv, { values: ['data-dir', 'policy'], switches: ['production'] })
  const { config, path, worldChains, wallet } = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  const casesPath = file ?? path.replace(/(\.json)?$/, '.test.json')
  const written = await readInputFile(casesPath, 'the file of cases (docs/policy.md)')
  const namesWallet = typeof written === 'object' && written !== null && 'wallet' in written
  sayTaken({ worldChains, wallet: namesWallet ? null : wallet })
  let reading = path
  try {
    const policy = await loadPolicy(path, { production: config.production || flags.production })
    reading = casesPath
    // Whoever names a file of cases may take the policy beside it for the one that is tested.
    sayPolicy(path, await isThere(path))
    const nowSeconds = Math.floor(Date.now() / 1000)
    const results = runPolicyCases(written, {
      policy,
      chains: config.chains,
      wallet: wallet?.address ?? null,
      nowSeconds,
    })
    for (const { name, passed, problem } of results) {
      process.stdout.write(`${passed ? 'ok  ' : 'FAIL'}  ${printable(name)}${problem === null ? '' : `: ${problem}`}\n`)
    }
    const failed = results.filter(({ passed }) => !passed).length
    process.stdout.write(`${results.length - failed} of ${results.length} cases are as expected.\n`)
    return failed === 0 ? 0 : 1
  } catch (error) {
    printProblems(reading, error)
    return 1
  }
}
