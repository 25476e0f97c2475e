import { type DayUse, loadPolicy, type Policy, policyFaults, readDayUse, sessionIdleMs } from '@svc/engine/policy'
import { placeOf } from '@svc/engine/switches'
import type { Leader, OperationState } from '@svc/store'
import { readOrder, ToolError } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import { type OpenOperations, openOperations } from '../approvals/open-operations.ts'
import { requireDirectory } from '../own-data-directory.ts'
import { printableText } from '../printable-text.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { isThere, policyPlace, printable } from '../policy/policy-place.ts'
import { withoutPolicy } from '../policy/check.ts'
import { readSigningState, type SigningState, stopSentences } from '../signing-state.ts'
import { gauge } from '../gauge.ts'
import { table } from '../table.ts'
import { heldLines, type HeldPositions, readHeldPositions } from './held-positions.ts'
import { type LastWrite, lastWriteLines, readLastWrites } from './last-writes.ts'
import { shownTransactions } from '../transactions/list.ts'

/**
 * `svc status`: whether anything stands against signing, what of the day is spent and left, what waits and what is out: of all callers,
 * beside the running server and without one; with `--positions` also what the wallet has in pools, which the chains are asked for. Changes
 * nothing. Resolves to exit code 0, whatever there is to say.
 */
export async function status(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'wallet'], switches: ['json', 'positions'] })
  const { config, path } = await policyPlace(flags['data-dir'], null, process.env)
  // Policy and audit log are files in it, also where the state is in PostgreSQL.
  await requireDirectory(config.dataDir)
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { policy, problems } = await readPolicy(path, config.production)
    const asksChains = flags.positions || flags.wallet !== undefined
    const held = asksChains ? await readHeldPositions(flags['data-dir'], flags.wallet, process.env) : null
    const leader = await open.leader()
    const [signing, day, spent, waiting, out, orders, lastWrites] = await Promise.all([
      readSigningState(open.place),
      policy === null ? null : readDayUse({ policy, ledger: open }, nobody),
      open.usage(nobody, { sessionIdleMs }),
      readWaiting(open),
      shownTransactions(open.transactions, 0),
      readOrders(open),
      readLastWrites(config.dataDir),
    ])
    const shown: Status = {
      signs: problems.length > 0 || signing.pause !== null ? 'nothing' : signsUnder(signing.breaker.stops),
      ...signing,
      policy: { file: (await isThere(path)) ? path : null, problems },
      spentUsd: formatAmount(spent.dailyUsdMicros, 6),
      leftUsd: day?.remainingUsd.daily ?? null,
      freesAt: day?.freesAt.daily ?? null,
      limitsUsd: day?.limitsUsd ?? null,
      budgetsUsd: day?.valueUsd ?? null,
      waiting,
      out: out.found.length,
      orders,
      lastWrites,
      leader: leader === null ? null : leaderOf(leader, config.dataDir),
      positions: held,
    }
    process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : textOf(shown, config.dataDir, path))
    return 0
  } finally {
    await open.close()
  }
}

/** Of any 24 hours and of all callers; sessions are of one each. */
type Status = SigningState & {
  /** What would be signed now, as far as switches and the policy's file say it. */
  readonly signs: 'everything' | 'ways-home' | 'nothing'
  /** `file` is `null` where a start would take the defaults; with problems nothing is signed. */
  readonly policy: { readonly file: string | null; readonly problems: readonly string[] }
  readonly spentUsd: string
  /** This and what follows is `null` while the policy cannot be read. */
  readonly leftUsd: string | null
  /** ISO 8601; `null` too where waiting frees nothing. */
  readonly freesAt: string | null
  readonly limitsUsd: DayUse['limitsUsd'] | null
  readonly budgetsUsd: DayUse['valueUsd'] | null
  readonly waiting: Waiting
  /** Transactions that are signed and not decided. */
  readonly out: number
  /** Signed orders that others may fill, whatever stops signing. */
  readonly orders: OpenOrders
  /** How the writes asked for last ended, newest first, as the audit log of this directory has them. */
  readonly lastWrites: readonly LastWrite[]
  /** Which server writes, of those that share a database; `null` where one has the state, or none has led yet. */
  readonly leader: ShownLeader | null
  /** `null` unless asked for: they are read on the chains. */
  readonly positions: HeldPositions | null
}

type ShownLeader = {
  /** `null` after one that ended in good order. */
  readonly holder: string | null
  /** ISO 8601. */
  readonly since: string
  /** Whether it is the server of this directory. */
  readonly isHere: boolean
}

function leaderOf({ holder, place, since }: Leader, dataDir: string): ShownLeader {
  return { holder, since: new Date(since).toISOString(), isHere: place === placeOf(dataDir) }
}

function leaderLines(leader: ShownLeader | null): readonly string[] {
  if (leader === null) return []
  const { holder, since, isHere } = leader
  if (holder === null) return ['Leads: no server; the last one ended in good order.']
  const here = isHere
    ? 'the server of this directory'
    : 'a server of another directory, which this one follows where it runs'
  return [`Led last since ${since}: ${printableText(holder)}, ${here}.`]
}

type OpenOrders = {
  /** Opened on chain, to be filled on another. */
  readonly crossChain: number
  readonly open: number
  /** When the last can be filled no more, ISO 8601; `null` where there is none. */
  readonly lastExpiresAt: string | null
}

type Waiting = { readonly approval: number; readonly approved: number; readonly scheduled: number }

/** Nobody comes with this id: what counts is of all. */
const nobody = 'status'

function signsUnder(stops: SigningState['breaker']['stops']): Status['signs'] {
  return stops === 'nothing' ? 'everything' : stops === 'everything' ? 'nothing' : 'ways-home'
}

async function readPolicy(
  path: string,
  production: boolean,
): Promise<{ readonly policy: Policy | null; readonly problems: readonly string[] }> {
  try {
    return { policy: await loadPolicy(path, { production }), problems: [] }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { policy: null, problems: policyFaults(error, path).problems }
  }
}

async function readWaiting({ operations }: Pick<OpenOperations, 'operations'>): Promise<Waiting> {
  const counts = await operations.count({ principalId: null, states: ['awaiting_approval', 'approved', 'scheduled'] })
  const of = (state: OperationState) => counts.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0)
  return { approval: of('awaiting_approval'), approved: of('approved'), scheduled: of('scheduled') }
}

async function readOrders({ orders }: Pick<OpenOperations, 'orders'>): Promise<OpenOrders> {
  const all = await orders.open(null)
  const open = all.filter(({ kind }) => kind === 'uniswapx')
  const crossChain = all.length - open.length
  const last = Math.max(...open.map(({ terms }) => readOrder(terms).deadline))
  return {
    crossChain,
    open: open.length,
    lastExpiresAt: open.length === 0 ? null : new Date(last * 1_000).toISOString(),
  }
}

function textOf(shown: Status, dataDir: string, path: string): string {
  const { policy, spentUsd, limitsUsd, leftUsd, freesAt, waiting, out, orders } = shown
  const stops = stopSentences(shown, dataDir)
  const broken =
    policy.problems.length === 0
      ? []
      : [
          `Nothing is signed: ${path} is broken. See: svc policy check`,
          ...policy.problems.map((one) => `  ${printable(one)}`),
        ]
  const frees = freesAt === null ? '' : `; the first is freed at ${freesAt}`
  const of = limitsUsd === null ? '' : ` of ${limitsUsd.daily} USD, ${leftUsd} left${frees}`
  return [
    ...(shown.signs === 'everything' ? ['Signing is on: no pause, the circuit breaker is closed.'] : []),
    ...stops,
    ...broken,
    ...(policy.file === null && policy.problems.length === 0 ? [`There is no ${path}. ${withoutPolicy}`] : []),
    `Spent in the last 24 hours: ${spentUsd}${of === '' ? ' USD' : of}`,
    ...(limitsUsd === null ? [] : [`  ${gauge(Number(spentUsd), Number(limitsUsd.daily), 40)}`]),
    `Waiting: ${waiting.approval} for a person, ${waiting.approved} approved and not used, ${waiting.scheduled} for their time`,
    `Out: ${out} ${out === 1 ? 'transaction' : 'transactions'} signed and not decided`,
    ...(orders.open === 0
      ? []
      : [
          `Orders: ${orders.open} signed, which others may fill until ${orders.lastExpiresAt} though signing stops; cancel_uniswapx_order ends one`,
        ]),
    ...(orders.crossChain === 0
      ? []
      : [`Cross-chain orders: ${orders.crossChain} opened, which end by themselves; get_operation follows each`]),
    ...leaderLines(shown.leader),
    ...budgetLines(shown.budgetsUsd),
    ...lastWriteLines(shown.lastWrites),
    ...(shown.positions === null ? [] : heldLines(shown.positions)),
    '',
  ].join('\n')
}

function budgetLines(budgets: Status['budgetsUsd']): readonly string[] {
  if (budgets === null) return []
  const rows = budgetNames.map(([name, what]) => {
    const { used, cap } = budgets[name]
    return [what, used, cap, gauge(Number(used), Number(cap))]
  })
  return ['', table([['BUDGET OF 24 HOURS (USD)', 'USED', 'OF', ''], ...rows], { alignRight: [1, 2] }).trimEnd()]
}

const budgetNames = [
  ['lossAtMost', 'value in bad trades, at most'],
  ['gas', 'gas'],
  ['exitGas', 'gas of bringing funds home'],
  ['dueExitGas', 'the same, where it was to be repaid'],
  ['sureExitGas', 'the same, of sure removals'],
  ['speculative', 'tokens without a price source'],
  ['coldStart', 'tokens at prices of the moment'],
] as const satisfies readonly (readonly [keyof DayUse['valueUsd'], string])[]
