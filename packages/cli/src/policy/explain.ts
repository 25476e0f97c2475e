import { explainPolicy, loadPolicy, type PolicyCheck } from '@svc/tool-server/policy'
import { type Address, isAddress } from 'viem'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { sayTaken } from '../say-taken.ts'
import { chainMend, type ServerSettings } from '../server-settings.ts'
import { UsageError } from '../usage-error.ts'
import { policyPlace } from './policy-place.ts'
import { printProblems } from './print-problems.ts'
import { printable } from './printable.ts'
import { readPlan } from './read-plan.ts'

/** `svc policy explain PLAN`: every rule, what was asked of it, what comes of it, and how the operator could change it. */
export async function explain(argv: readonly string[]): Promise<number> {
  const names = { values: ['data-dir', 'wallet', 'policy'], switches: ['json', 'production'] } as const
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [plan, more] = words
  if (plan === undefined || more !== undefined) {
    throw new UsageError('svc policy explain takes the id of one plan, or a JSON file with an intent')
  }
  const settings = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  const { config, path, worldChains } = settings
  const question = await readPlan(plan, flags['data-dir'], process.env)
  const chain = config.chains.find(({ id }) => id === question.intent.chainId)
  if (chain === undefined)
    throw new Error(`No chain of this server has the id ${question.intent.chainId}. ${chainMend}`)
  const wallet = walletOf(flags.wallet, settings)
  sayTaken({ worldChains, wallet: flags.wallet === undefined ? settings.wallet : null })
  const policy = await loadPolicy(path, { production: config.production || flags.production }).catch(
    (error: unknown) => {
      printProblems(path, error)
      return null
    },
  )
  if (policy === null) return 1
  const nowSeconds = Math.floor(Date.now() / 1000)
  const checks = explainPolicy(question, { chain, policy, wallet, nowSeconds })
  const { tool, principalId, intent } = question
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ tool, principalId, chainId: chain.id, checks })}\n`)
    return 0
  }
  const head = [
    `plan        ${printable(plan)}: ${printable(intent.why)}`,
    `chain       ${chain.name} (${chain.id})`,
    `principal   ${printable(principalId ?? 'unknown')}`,
    `tool        ${printable(tool ?? 'unknown')}`,
  ]
  process.stdout.write([...head, '', ...checks.flatMap(linesOf), '', summary(checks), notLookedAt, ''].join('\n'))
  return 0
}

const notLookedAt = 'Not looked at here: simulation, prices, balances, a pause, the circuit breaker.'

function linesOf({ rule, says, asked, verdict, code, because, change }: PolicyCheck): readonly string[] {
  const under = (name: string, text: string): string => `          ${name.padEnd(8)}${printable(text)}`
  return [
    `${verdict.padEnd(8)}  ${printable(rule ?? 'always')}: ${printable(says)}`,
    under('asked', asked),
    ...(code === null ? [] : [under('code', code)]),
    ...because.map((text) => under('because', text)),
    ...(change === null ? [] : [under('mend', change)]),
  ]
}

function summary(checks: readonly PolicyCheck[]): string {
  const has = (verdict: PolicyCheck['verdict']): boolean => checks.some((check) => check.verdict === verdict)
  if (has('deny')) return 'The policy refuses this plan.'
  if (has('ask')) return 'A person must approve this plan.'
  if (has('wait')) return 'This plan must wait for its delay.'
  return has('unknown') ? 'Nothing that could be checked stands against this plan.' : 'The policy lets this plan pass.'
}

function walletOf(given: string | undefined, { wallet }: ServerSettings): Address {
  if (given !== undefined) {
    if (!isAddress(given)) throw new UsageError('--wallet takes the address of the wallet')
    return given
  }
  if (wallet !== null) return wallet.address
  throw new UsageError(
    "Name the agent's wallet with --wallet ADDRESS, or with --data-dir the directory of its local world (svc up --data-dir " +
      'D); the settings name none whose address is known here.',
  )
}
