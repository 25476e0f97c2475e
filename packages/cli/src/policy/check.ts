import { loadPolicy, policyHash } from '@svc/engine/policy'
import { sayTaken } from '../say-taken.ts'
import { findPolicy } from './find-policy.ts'
import { policyNotes } from './policy-notes.ts'
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
    for (const note of policyNotes(policy, config)) process.stdout.write(`note: ${printable(note)}\n`)
    const what = exists ? `${path} is in order` : `There is no ${path}, so the defaults hold`
    process.stdout.write(`${what}. Audit lines name this policy ${policyHash(policy)}.\n`)
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}
