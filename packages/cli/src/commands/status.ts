import {
  budgetTexts,
  type HeldPositions,
  type OperatorStatus,
  readOperatorStatus,
} from '@svc/tool-server/operator-status'
import { openOperations } from '../approvals/open-operations.ts'
import { requireDirectory } from '../own-data-directory.ts'
import { printableText } from '../printable-text.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { policyPlace, printable } from '../policy/policy-place.ts'
import { withoutPolicy } from '../policy/check.ts'
import { stopSentences } from '../signing-state.ts'
import { gauge } from '../gauge.ts'
import { table } from '../table.ts'
import { heldLines, readPositionsOf } from './held-positions.ts'
import { lastWriteLines } from './last-writes.ts'
import { printPageLink } from './page-link.ts'

/**
 * `svc status`, and with `--page` a link to the operator page: whether anything stands against signing, what of the day is spent and left, what waits and what is out: of all callers,
 * beside the running server and without one; with `--positions` also what the wallet has in pools, which the chains are asked for. Changes
 * nothing. Resolves to exit code 0, whatever there is to say.
 */
export async function status(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'wallet'], switches: ['json', 'positions', 'page'] })
  const { config, path } = await policyPlace(flags['data-dir'], null, process.env)
  if (flags.page) return printPageLink(config, flags)
  // Policy and audit log are files in it, also where the state is in PostgreSQL.
  await requireDirectory(config.dataDir)
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const asksChains = flags.positions || flags.wallet !== undefined
    const positions = asksChains ? await readPositionsOf(flags['data-dir'], flags.wallet, process.env) : null
    const { dataDir, production } = config
    const { place, leader } = open
    const shown: Status = {
      ...(await readOperatorStatus({ dataDir, production, policyPath: path, place, leader, records: open })),
      positions,
    }
    process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : textOf(shown, config.dataDir, path))
    return 0
  } finally {
    await open.close()
  }
}

/** `positions` is `null` unless asked for: they are read on the chains. */
type Status = OperatorStatus & { readonly positions: HeldPositions | null }

function leaderLines(leader: OperatorStatus['leader']): readonly string[] {
  if (leader === null) return []
  const { holder, serverId, since, isHere } = leader
  if (holder === null) return ['Leads: no server; the last one ended in good order.']
  const here = isHere
    ? 'the server of this directory'
    : 'a server of another directory, which this one follows where it runs'
  return [`Led last since ${since}: ${printableText(holder)}, server ${printableText(serverId)}, ${here}.`]
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
  const rows = budgetTexts.map(([name, what]) => {
    const { used, cap } = budgets[name]
    return [what, used, cap, gauge(Number(used), Number(cap))]
  })
  return ['', table([['BUDGET OF 24 HOURS (USD)', 'USED', 'OF', ''], ...rows], { alignRight: [1, 2] }).trimEnd()]
}
