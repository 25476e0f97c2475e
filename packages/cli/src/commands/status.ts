import {
  budgetTexts,
  type HeldPositions,
  type OperatorStatus,
  readOperatorStatus,
  readHeldPositions,
  type LastWrite,
} from '@svc/tool-server/operator-status'
import { openOperations } from '../approvals/open-operations.ts'
import { requireDirectory, ownDataDirectory } from '../own-data-directory.ts'
import { printableText, table } from '../terminal-text.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { policyPlace, printable } from '../policy/policy-place.ts'
import { withoutPolicy } from '../policy/check.ts'
import { stopSentences } from './pause.ts'
import { openReads, parsePolicy } from '@svc/engine/policy'
import { chainAccess, type Config } from '@svc/tool-server'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddress } from 'viem'
import { readServerSettings } from '../server-settings.ts'
import { UsageError } from '../usage-error.ts'
import { makePageLink } from '@svc/tool-server/operator-page'

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

/**
 * What the wallet of a server has in pools now, on the chains for which the settings name an endpoint. A chain that does not answer is
 * said to be unread. Throws `UsageError` where no wallet is named.
 */
async function readPositionsOf(
  dataDir: string | undefined,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<HeldPositions> {
  const { config, worldChains, wallet } = await readServerSettings(dataDir, environment)
  const owner = ownerOf(given, wallet?.address ?? null)
  const { liquidity } = openReads(chainAccess(config), {
    memory: null,
    policy: () => parsePolicy({}, { production: config.production }),
  })
  const isNamed = ({ id }: Chain) => config.rpc.urls.has(id) || worldChains?.ids.has(id) === true
  return readHeldPositions({ liquidity, chains: config.chains.filter(isNamed), owner })
}

/** As lines for a terminal. */
function heldLines({ owner, items, unread }: HeldPositions): readonly string[] {
  const rows = items.map(({ chain, version, positionId, pair, amount0, amount1, place }) =>
    [chain, version, positionId, pair, amount0, amount1, placeText(place)].map((cell) => printable(cell)),
  )
  const header = ['CHAIN', '', 'POSITION', 'PAIR', 'AMOUNT0', 'AMOUNT1', 'PRICE IN RANGE']
  const shown = rows.length === 0 ? ['None.'] : [table([header, ...rows], { alignRight: [4, 5] }).trimEnd()]
  const missing = unread.length === 0 ? [] : [`Not all is read of: ${unread.join(', ')}`]
  return ['', `Positions of ${owner}:`, ...shown, ...missing]
}

/** The range from end to end, and where the price stands in it. */
function placeText(place: number | null): string {
  if (place === null) return 'all prices'
  if (place < 0 || place >= 1) return place < 0 ? '<[..........]  out, below' : ' [..........]> out, above'
  const at = Math.floor(place * 10)
  return ` [${'.'.repeat(at)}|${'.'.repeat(9 - at)}]`
}

function ownerOf(given: string | undefined, known: Address | null): Address {
  if (given !== undefined && !isAddress(given)) throw new UsageError('--wallet takes the address of the wallet')
  const owner = given ?? known
  if (owner === null)
    throw new UsageError('Name the wallet with --wallet ADDRESS: the settings name none whose address is known here.')
  return owner
}

/** As lines for a terminal; none where there is no write. */
function lastWriteLines(writes: readonly LastWrite[]): readonly string[] {
  if (writes.length === 0) return []
  const rows = writes.map(({ at, tool, outcome, code, spentUsd, lostUsd, txHash }) =>
    [at.slice(0, 19), tool, code ?? outcome, spentUsd ?? '', lostUsd ?? '', txHash ?? ''].map((cell) =>
      printable(cell, 80),
    ),
  )
  const header = ['LAST WRITES', 'TOOL', 'OUTCOME', 'USD', 'LOST AT MOST', 'TRANSACTION']
  return ['', table([header, ...rows], { alignRight: [3, 4] }).trimEnd()]
}

/**
 * `svc status --page`: prints a link that opens the operator page of the server on this machine, once. Throws where there is no such page by the
 * settings, as the server reads them. Resolves to exit code 0.
 */
async function printPageLink(
  config: Config,
  flags: { readonly json: boolean; readonly positions: boolean; readonly wallet?: string | undefined },
): Promise<number> {
  if (flags.positions || flags.wallet !== undefined)
    throw new UsageError('svc status --page prints a link and nothing else: leave --positions and --wallet out')
  const { dataDir, publicUrl, operatorPage, listen, tls } = config
  if (!operatorPage) throw new Error('These settings have no operator page. Set SVC_OPERATOR_PAGE=on for the server.')
  if (publicUrl?.startsWith('https:') === true)
    throw new Error(`The page is at ${new URL('/operator', publicUrl).href}, where a passkey opens it and no link.`)
  if (listen.port === 0)
    throw new Error(
      'SVC_LISTEN leaves the port to the system. Name it here: SVC_LISTEN=127.0.0.1:PORT svc status --page',
    )
  await ownDataDirectory(dataDir, {})
  const { token, endsAt } = await makePageLink(dataDir, Date.now())
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const url = `${tls === null ? 'http' : 'https'}://${host}:${listen.port}/operator?token=${token}`
  const expiresAt = new Date(endsAt).toISOString()
  const text = `Open this once, in a browser of this machine, before ${expiresAt}.\n\n  ${url}\n`
  process.stdout.write(flags.json ? `${JSON.stringify({ url, expiresAt })}\n` : text)
  return 0
}

/** A bar of as many signs as there are parts: how much of something is used, in plain ASCII. More than all is shown as all. */
export function gauge(used: number, of: number, width = 20): string {
  const share = of > 0 ? Math.min(1, Math.max(0, used / of)) : 0
  // Whatever is used shows, and what is not used up does not look as if it were.
  const filled = share === 0 ? 0 : share === 1 ? width : Math.min(width - 1, Math.max(1, Math.round(share * width)))
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${`${Math.floor(share * 100)}`.padStart(3)} %`
}
