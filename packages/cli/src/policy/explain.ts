import { chainAccess, type Config } from '@svc/tool-server'
import {
  budgetNames,
  explainPolicy,
  loadPolicy,
  openReads,
  type Policy,
  type PolicyCheck,
  type WeighedIntent,
  weighedReport,
  type WeighedReport,
  weighIntent,
} from '@svc/engine/policy'
import { stateText } from '@svc/engine/approvals'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddress } from 'viem'
import { type OpenOperations, openOperations } from '../approvals/open-operations.ts'
import { isPlanFile, planFromFile, type PlanQuestion, storedPlan, type StoredFacts } from './read-plan.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { sayTaken, chainFix, type ServerSettings } from '../server-settings.ts'
import { UsageError } from '../usage-error.ts'
import { policyPlace, printable, printProblems } from './policy-place.ts'
import { weighedLines } from './weighed-lines.ts'

/**
 * `svc policy explain PLAN`: what each source says the tokens are worth and what leaves and comes back, read from the chain;
 * then every rule, what was asked of it, what comes of it, and how the operator could change it.
 */
export async function explain(argv: readonly string[]): Promise<number> {
  const { plan, flags } = readWords(argv)
  const settings = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  const store = isPlanFile(plan) ? null : await openOperations(flags['data-dir'], process.env)
  try {
    const question = store === null ? await planFromFile(plan) : await storedPlan(plan, store, Date.now())
    const chain = chainOf(question.intent.chainId, settings)
    const wallet = walletOf(flags.wallet, settings)
    sayTaken({ ...settings, wallet: flags.wallet === undefined ? settings.wallet : null })
    const policy = await readPolicy(settings, flags.production)
    if (policy === null) return 1
    const place: Place = { config: settings.config, chain, policy, wallet, store }
    const answer = await answerTo(question, place, flags.offline)
    process.stdout.write(flags.json ? jsonOf(question, answer) : textOf(plan, question, chain, answer))
    return 0
  } finally {
    await store?.close()
  }
}

type Place = WeighingPlace & { readonly store: OpenOperations | null }

function readWords(argv: readonly string[]) {
  const names = { values: ['data-dir', 'wallet', 'policy'], switches: ['json', 'production', 'offline'] } as const
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [plan, more] = words
  if (plan === undefined || more !== undefined) {
    throw new UsageError('svc policy explain takes the id of one plan, or a JSON file with an intent')
  }
  return { plan, flags }
}

function chainOf(chainId: number, { config }: ServerSettings): Chain {
  const chain = config.chains.find(({ id }) => id === chainId)
  if (chain === undefined) throw new Error(`No chain of this server has the id ${chainId}. ${chainFix}`)
  return chain
}

async function readPolicy({ config, path }: ServerSettings & { readonly path: string }, isProduction: boolean) {
  try {
    return await loadPolicy(path, { production: config.production || isProduction })
  } catch (error) {
    printProblems(path, error)
    return null
  }
}

/** The checks, and how the plan was weighed; the latter is `null` where the chain is not asked. */
async function answerTo(question: PlanQuestion, place: Place, isOffline: boolean): Promise<Answer> {
  const { chain, policy, wallet, store } = place
  const weighed = isOffline ? null : await weighPlan(question, place)
  const budgets = await budgetsUsed(store, weighed)
  const found = weighed?.status === 'weighed' ? weighed : question
  const checks = explainPolicy(
    {
      ...question,
      spendUsdMicros: question.spendUsdMicros ?? found.spendUsdMicros,
      gasUsdMicros: question.gasUsdMicros ?? found.gasUsdMicros,
      used: question.used === null ? null : { ...question.used, budgets },
      weighed,
    },
    { chain, policy, wallet, nowSeconds: Math.floor(Date.now() / 1000) },
  )
  return { checks, report: weighed === null ? null : weighedReport(weighed, budgets) }
}

type Answer = { readonly checks: readonly PolicyCheck[]; readonly report: WeighedReport | null }

function jsonOf({ tool, principalId, intent, stored }: PlanQuestion, { checks, report }: Answer): string {
  const { state = null, deadline = null } = stored ?? {}
  const said = { state, deadline, tool, principalId, chainId: intent.chainId, checks, weighed: report }
  return `${JSON.stringify(said)}\n`
}

function textOf(plan: string, question: PlanQuestion, chain: Chain, { checks, report }: Answer): string {
  const head = [
    ...(question.stored === null ? [] : storedLines(question.stored, question.tool, Date.now())),
    `plan        ${printable(plan)}: ${printable(question.intent.why)}`,
    `chain       ${chain.name} (${chain.id})`,
    `principal   ${printable(question.principalId ?? 'unknown')}`,
    `tool        ${printable(question.tool ?? 'unknown')}`,
  ]
  const weighed = report === null ? [] : [...weighedLines(report), '']
  const left = `Not looked at here: ${report === null ? 'simulation, prices, balances, ' : ''}orders that are open, the destination of a cross-chain order, a pause, the circuit breaker.`
  return [...head, '', ...weighed, ...checks.flatMap(linesOf), '', summary(checks, question), left, ''].join('\n')
}

function storedLines(stored: StoredFacts, tool: string | null, now: number): readonly string[] {
  const { deadline } = stored
  const stands =
    stored.state === 'failed' && tool === 'harvest_rewards'
      ? 'If it stopped on its way less than 24 hours ago, execute_plan goes on with it'
      : 'Nobody carries it out any more'
  const ended = isOver(stored) ? `. ${stands}; below is what the policy says to the same now` : ''
  const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  return [
    `state       ${printable(stateText(stored, now))}${ended}`,
    ...(deadline === null
      ? []
      : [
          `deadline    ${timeOf(deadline.planned)} as planned; carried out now it is ${timeOf(deadline.judged)}, which is judged`,
        ]),
  ]
}

const isOver = ({ state }: Pick<StoredFacts, 'state'>): boolean =>
  ['done', 'failed', 'denied', 'cancelled', 'expired'].includes(state)

function linesOf({ rule, says, asked, verdict, code, because, change }: PolicyCheck): readonly string[] {
  const under = (name: string, text: string): string => `          ${name.padEnd(8)}${printable(text)}`
  return [
    `${verdict.padEnd(8)}  ${printable(rule ?? 'always')}: ${printable(says)}`,
    under('asked', asked),
    ...(code === null ? [] : [under('code', code)]),
    ...because.map((text) => under('because', text)),
    ...(change === null ? [] : [under('fix', change)]),
  ]
}

function summary(checks: readonly PolicyCheck[], { stored }: PlanQuestion): string {
  const has = (verdict: PolicyCheck['verdict']): boolean => checks.some((check) => check.verdict === verdict)
  if (stored !== null && isOver(stored)) {
    if (has('deny')) return 'Planned anew, the policy would refuse it.'
    if (has('ask')) return 'Planned anew, a person would have to approve it.'
    if (has('wait')) return 'Planned anew, it would have to wait for its delay.'
    return has('unknown')
      ? 'Planned anew, nothing that could be checked would stand against it.'
      : 'Planned anew, the policy would let it pass.'
  }
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

/** Weighs a plan at the newest block of its chain, at the prices that the server would count with. */
async function weighPlan(question: PlanQuestion, place: WeighingPlace): Promise<WeighedIntent> {
  const { config, chain, policy, wallet, store } = place
  const recall = store?.sightings.recall
  // The server alone writes down what it saw.
  const memory = recall === undefined ? null : { recall, keep: () => {} }
  const { rpc, tokens, prices } = openReads(chainAccess(config), { memory, policy: () => policy })
  return weighIntent(question, { chain, policy, wallet, rpc, tokens, prices, now: Date.now })
}

type WeighingPlace = {
  readonly config: Config
  readonly chain: Chain
  readonly policy: Policy
  readonly wallet: Address
  /** The server's state; `null` where there is none. */
  readonly store: Pick<OpenOperations, 'sightings' | 'budgetUsage'> | null
}

/** What counts of the budgets of value already: of those that every call asks, and of those of this call. */
async function budgetsUsed(
  store: WeighingPlace['store'],
  weighed: WeighedIntent | null,
): Promise<ReadonlyMap<string, bigint>> {
  if (store === null) return new Map()
  const asked = weighed?.status === 'weighed' ? weighed.budgets.map(({ name }) => name) : []
  const names = [...new Set([...Object.values(budgetNames), ...asked])]
  return new Map(await Promise.all(names.map(async (name) => [name, await store.budgetUsage(name)] as const)))
}
