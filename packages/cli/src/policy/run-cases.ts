import { loadPolicy, runPolicyCases } from '@svc/engine/policy'
import { readInputFile } from '../read-input-file.ts'
import { sayTaken } from '../say-taken.ts'
import { isThere, policyPlace } from './policy-place.ts'
import { printable, printProblems, sayPolicy } from './print-problems.ts'
import { readFileAndFlags } from './read-file-and-flags.ts'

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
