import { chains, isNoOp, type JournalState } from '@svc/wallet/core'
import type { StoredTransaction, OperatorRequest, RequestOutcome, Transactions } from '@svc/store'
import type { OpenOperations } from '../approvals/open-operations.ts'
import type { readAuditLog } from '@svc/engine/switches'
import { formatEther, formatGwei, parseTransaction, slice, size, type Hex } from 'viem'
import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a person is shown of stored transactions. `now` in Unix milliseconds. */
export async function describeTransactions(
  { transactions, dataDir }: Pick<OpenOperations, 'transactions' | 'dataDir'>,
  found: readonly StoredTransaction[],
  now: number,
): Promise<readonly TransactionDescription[]> {
  if (found.length === 0) return []
  const { readAuditLog } = await import('@svc/engine/switches')
  const requestIds = found.map(({ requestId }) => requestId)
  const { askers, labels } = await recordOf(requestIds, dataDir, readAuditLog)
  const chainNames = await chainNamesOf(dataDir, process.env)
  return Promise.all(
    found.map(async (one) => {
      const attempts = await transactions.byNonce(one.chainId, one.from, one.nonce)
      const context = { asker: askers.get(one.requestId), label: labelOf(one, attempts, labels), chainNames, now }
      return describeTransaction(one, attempts, context)
    }),
  )
}

/**
 * The names of the chains that the server of a data directory knows, by their ids; the built-in ones where its settings are
 * not all at hand, as beside a database on another machine.
 */
async function chainNamesOf(
  dataDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<number, string>> {
  const { readServerSettings } = await import('../server-settings.ts')
  const known = await readServerSettings(undefined, { ...environment, SVC_DATA_DIR: dataDir }).then(
    ({ config }) => config.chains,
    () => chains,
  )
  return new Map(known.map(({ id, name }) => [id, name]))
}

/**
 * Which tool and caller stand behind requests, and what their transactions do, by the audit log in a data directory. What it
 * does not say is left out: the log is the server's, and may stand on another machine than the database.
 */
async function recordOf(requestIds: Iterable<string>, dataDir: string, read: typeof readAuditLog): Promise<OnRecord> {
  const wanted = new Set(requestIds)
  const [askers, labels] = [new Map<string, Asker>(), new Map<string, string>()]
  try {
    for await (const { text, isWhole } of read(dataDir)) {
      const requestId = isWhole ? /"requestId":"([^"]{1,128})"/.exec(text)?.[1] : undefined
      if (requestId === undefined || !wanted.has(requestId)) continue
      const { asker, sent } = factsIn(text)
      if (asker !== null && !askers.has(requestId)) askers.set(requestId, asker)
      if (sent !== null) labels.set(sent.hash, sent.label)
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) throw error
  }
  return { askers, labels }
}

type OnRecord = {
  /** By request. */
  readonly askers: ReadonlyMap<string, Asker>
  /** What a transaction does, by its hash. */
  readonly labels: ReadonlyMap<string, string>
}

type Asker = { readonly tool: string; readonly caller: string | null }

function factsIn(text: string): { asker: Asker | null; sent: { hash: string; label: string } | null } {
  try {
    const { tool, actor, transaction } = JSON.parse(text) as AuditLine
    const caller = typeof actor?.principal === 'string' ? actor.principal : null
    const { hash, label } = transaction ?? {}
    return {
      asker: typeof tool === 'string' ? { tool, caller } : null,
      sent: typeof hash === 'string' && typeof label === 'string' ? { hash, label } : null,
    }
  } catch {
    return { asker: null, sent: null }
  }
}

type AuditLine = {
  readonly tool?: unknown
  readonly actor?: { readonly principal?: unknown }
  readonly transaction?: { readonly hash?: unknown; readonly label?: unknown }
}

/** That of its own line or, where its fees alone were raised, of the same step's. */
function labelOf(
  { hash, requestId, step }: StoredTransaction,
  attempts: readonly StoredTransaction[],
  labels: OnRecord['labels'],
): string | null {
  const same = attempts.filter((other) => other.requestId === requestId && other.step === step)
  const known = [hash, ...same.map((other) => other.hash)].find((one) => labels.has(one))
  return known === undefined ? null : (labels.get(known) ?? null)
}

/** One signed transaction in plain JSON. `attempts` are all at its nonce, first attempt first; `now` in Unix milliseconds. */
function describeTransaction(
  transaction: StoredTransaction,
  attempts: readonly StoredTransaction[],
  { asker, label, chainNames, now }: Context,
): TransactionDescription {
  const { hash, chainId, from, nonce, attempt, state, requestId, step, signedAt, blockNumber, gasUsed, asked } =
    transaction
  const signed = parseTransaction(transaction.rawTransaction)
  const { to = null, value = 0n, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = signed
  return {
    hash,
    chainId,
    chain: chainNames.get(chainId) ?? null,
    wallet: from,
    nonce,
    attempt,
    state,
    isNoOp: isNoOp(transaction),
    signedAt: new Date(signedAt).toISOString(),
    ageSeconds: Math.max(0, Math.floor((now - signedAt) / 1_000)),
    requestId,
    step,
    label,
    tool: asker?.tool ?? null,
    caller: asker?.caller ?? null,
    to,
    selector: selectorOf(data),
    valueWei: `${value}`,
    gasLimit: `${gas}`,
    maxFeeGwei: formatGwei(maxFeePerGas),
    maxPriorityFeeGwei: formatGwei(maxPriorityFeePerGas),
    gasAtMost: formatEther(gas * maxFeePerGas),
    block: blockNumber === undefined ? null : `${blockNumber}`,
    gasUsed: gasUsed === undefined ? null : `${gasUsed}`,
    replacedBy: replacedBy(transaction, attempts),
    asked: asked === null ? null : { ...asked, at: new Date(asked.at).toISOString() },
  }
}

type Context = {
  readonly asker: Asker | undefined
  readonly label: string | null
  /** By the id of the chain. */
  readonly chainNames: ReadonlyMap<number, string>
  readonly now: number
}

export type TransactionDescription = {
  readonly hash: Hex
  readonly chainId: number
  /** Its name, where the chain is one of the server's. */
  readonly chain: string | null
  readonly wallet: Hex
  readonly nonce: number
  readonly attempt: number
  readonly state: JournalState
  /** Whether it is an empty transfer of the server's own that only uses its nonce up. */
  readonly isNoOp: boolean
  readonly signedAt: string
  readonly ageSeconds: number
  readonly requestId: string
  /** From 0, among those of its request. */
  readonly step: number
  /** What it does, such as "swap", by the audit log; `null` where that does not say. */
  readonly label: string | null
  /** Who asked for it, by the audit log; `null` where that does not say. */
  readonly tool: string | null
  readonly caller: string | null
  readonly to: Hex | null
  readonly selector: Hex
  readonly valueWei: string
  readonly gasLimit: string
  readonly maxFeeGwei: string
  readonly maxPriorityFeeGwei: string
  /** What its gas may cost at its worst, in native currency. */
  readonly gasAtMost: string
  readonly block: string | null
  readonly gasUsed: string | null
  /** The attempt that was mined in its place, or else the next one signed at its nonce. */
  readonly replacedBy: Hex | null
  readonly asked: (Omit<OperatorRequest, 'at'> & { readonly at: string }) | null
}

function replacedBy({ hash, attempt }: StoredTransaction, attempts: readonly StoredTransaction[]): Hex | null {
  const mined = attempts.find(({ state }) => state === 'final' || state === 'reverted')
  if (mined !== undefined) return mined.hash === hash ? null : mined.hash
  return attempts.find((other) => other.attempt > attempt)?.hash ?? null
}

function selectorOf(data: Hex): Hex {
  return size(data) < 4 ? '0x' : slice(data, 0, 4)
}

/** What a state means, in a few words. */
export const stateWords: Readonly<Record<JournalState, string>> = {
  signed: 'not sent yet',
  broadcast: 'waits for a block',
  mined: 'in a block, not confirmed',
  final: 'mined',
  reverted: 'mined and reverted',
  replaced: 'never mined, replaced',
  superseded: 'never mined, superseded',
  refused: 'declined',
}

/** What an outcome means. */
export const outcomeWords: Readonly<Record<RequestOutcome, string>> = {
  cancelled: 'done, an empty transfer was mined in its place',
  mined: 'too late, it was mined',
  superseded: 'a transaction of somebody else used its nonce up, so it is never mined',
  'other-wallet': 'the server has no key for its wallet; start it once with the key that signed it',
  'no-chain': 'the server does not know its chain',
  'not-proved': 'what was named did not use its nonce up, or is not settled',
}

/** Splits the words after a subcommand into the hash of a transaction and its flags, in any order. Throws `UsageError`. */
export function readHashAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly hash: `0x${string}`; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [word = '', more] = words
  if (more !== undefined || !isHash(word)) {
    throw new UsageError(
      `svc transactions ${subcommand} takes the hash of one transaction: 0x and 64 hex digits; svc transactions list shows them`,
    )
  }
  return { hash: word, flags }
}

function isHash(word: string): word is `0x${string}` {
  return /^0x[0-9a-f]{64}$/.test(word)
}

/** The transaction of this hash. Throws when the journal holds none. */
export async function findTransaction(
  { transactions }: Pick<OpenOperations, 'transactions'>,
  hash: `0x${string}`,
): Promise<StoredTransaction> {
  const found = await transactions.byHash(hash)
  if (found !== null) return found
  throw new Error(`The journal holds no transaction ${hash}. svc transactions list shows what is open.`)
}

/** Looks until a request has ended, an empty transfer is out, time is up or the command is asked to end. */
export async function untilTaken(
  transactions: Transactions,
  hash: `0x${string}`,
  { waitSeconds, stopped }: { readonly waitSeconds: number; readonly stopped: Promise<unknown> },
): Promise<Seen> {
  const until = performance.now() + waitSeconds * 1_000
  let isAsked = true
  void stopped.then(() => (isAsked = false))
  for (;;) {
    const transaction = await findTransaction({ transactions }, hash)
    const attempts = await transactions.byNonce(transaction.chainId, transaction.from, transaction.nonce)
    const noOp = attempts.findLast(isNoOp)
    const isOut = transaction.asked?.what === 'cancel' && noOp !== undefined && noOp.state !== 'signed'
    const isTaken = transaction.asked?.outcome !== null || isOut
    if (isTaken || !isAsked || performance.now() >= until) return { transaction, noOp }
    await sleep(lookEveryMs)
  }
}

export type Seen = { readonly transaction: StoredTransaction; readonly noOp: StoredTransaction | undefined }

const lookEveryMs = 200

/** The command that shows what became of a transaction, on the data directory that was named. */
export function followWith(hash: string, dataDir: string | undefined): string {
  return `svc transactions show ${hash}${dataDir === undefined ? '' : ` --data-dir ${dataDir}`}`
}
