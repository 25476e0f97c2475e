import { StoreError, type StoredTransaction, type Transactions } from '@svc/store'
import { type JournalEntry, type Proposal, type ReplacementRules, isNoOp } from '@svc/wallet/core'
import { parseTransaction, zeroAddress, type Hash, type PublicClient } from 'viem'
import { callFacts } from '../audit/call-outcomes.ts'
import { unpricedGasCapWei, gasHome, gasWorth } from '../spending/gas.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'
import { requireRunning } from '../switches/signing-state.ts'
import { limitsOf } from '../spending/budgets.ts'
import { type PricedTokens, priceTokens, valueOf } from '../value/spend-value.ts'
import { onStorage } from '../call/refusal.ts'

/**
 * What the sender may sign on its own account for this wallet: the same call again with higher fees while signing is
 * allowed, and no-ops that use a nonce up also while it is stopped, for they only end what is out. Gas may cost at most
 * what one transaction may spend, that of a call which brings nothing home no more than a day may burn. The reservation is lifted to higher fees first, whatever the limits say: money that is
 * out must come to its end. Each signature has its line in the audit log first; without it there is none.
 */
export function replacementRules(context: ExecutionContext, asked: Asked = {}): ReplacementRules {
  const { engine, call, chain } = context
  let priced: PricedTokens = new Map()
  return {
    feeCapWei: async (wanted) => {
      priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
      const isSpend = wanted.kind === 'raise' && !(await isOfWayHome(engine, wanted))
      const cap = feeCapWei(context, priced, isSpend)
      const most = isSpend ? leavingWayHome(wanted) : cap
      return most < cap ? most : cap
    },
    allow: async (proposal) => {
      if (!(await maySign(context, proposal))) return false
      await coverRaise(context, proposal, priced)
      await onStorage('the audit log cannot be written', () =>
        engine.audit.append({ event: 'tx.intent', ...factsOf(context, proposal), ...asked }),
      )
      // An operator may have paused while the line was written.
      return maySign(context, proposal)
    },
    isStillAllowed: (proposal) => maySign(context, proposal),
    // A pause that was said at another server is felt in the commit, or not at all; what ends a nonce moves nothing.
    record: (entry, { kind }) =>
      engine.journal
        .recordSigned(entry, [], { unlessPaused: kind !== 'no-op' && engine.sharedSwitches !== undefined })
        .catch((error: unknown) => {
          if (error instanceof StoreError && error.code === 'STORE_PAUSED') return 'not-allowed' as const
          throw error
        }),
    onHeld: ({ hash, nonce }, why) =>
      engine.log.warn('tx.held', { requestId: call.requestId, chainId: chain.id, hash, nonce, why }),
    ...(engine.stuckAfterMs === undefined ? {} : { stuckAfterMs: engine.stuckAfterMs }),
  }
}

/** What is said in the audit log instead, where an operator asked for the signature. */
type Asked = { readonly why?: string; readonly by?: string }

async function maySign({ engine }: ExecutionContext, proposal: Proposal): Promise<boolean> {
  try {
    engine.requireOpen()
    if (proposal.kind === 'no-op') return true
    return (await requireRunning(engine, () => isOfWayHome(engine, proposal))).refusals.length === 0
  } catch {
    return false
  }
}

/** Whether it is the same step of a call that only brings funds home: fees that rise must not keep it from its end. */
export async function isOfWayHome(
  { journal, ledger }: Engine,
  { replaces }: Pick<Proposal, 'replaces'>,
): Promise<boolean> {
  if (replaces === null) return false
  const { requestId } = replaces
  const [signed, open] = await onStorage('the journal or the spend ledger cannot be read', () =>
    Promise.all([journal.byRequest(requestId), ledger.open()]),
  )
  const first = signed.find(({ step }) => step === replaces.step)
  return open.some(({ id, isExit }) => id === first?.reservationId && isExit)
}

/**
 * The limit of one transaction in native currency, rounded down, and for what brings nothing home no more than a day may burn; a small fixed
 * sum where native currency has no price.
 */
function feeCapWei({ engine }: ExecutionContext, priced: PricedTokens, isSpend: boolean): bigint {
  const { usdMicros, unpriced } = valueOf(new Map([[zeroAddress, oneCoin]]), priced)
  if (unpriced.length > 0 || usdMicros === 0n) return unpricedGasCapWei
  const { perTransaction, dailyGas } = limitsOf(engine.policy)
  return ((isSpend && dailyGas < perTransaction ? dailyGas : perTransaction) * oneCoin) / usdMicros
}

const oneCoin = 10n ** 18n

/** So much that at the same price the gas of a way home is left. */
function leavingWayHome({ gasLimit, payableWei }: { readonly gasLimit: bigint; readonly payableWei: bigint }): bigint {
  return (payableWei * gasLimit) / (gasLimit + gasHome)
}

/** What gas may cost above the first attempt. A no-op draws on no reservation: it is counted once it is mined. */
async function coverRaise({ engine }: ExecutionContext, proposal: Proposal, priced: PricedTokens): Promise<void> {
  const { kind, replaces, gasLimit, maxFeePerGas } = proposal
  if (kind === 'no-op' || replaces === null) return
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(replaces.requestId))
  const first = signed.find(({ step }) => step === replaces.step)
  if (first === undefined || first.reservationId === null) return
  const above = gasLimit * maxFeePerGas - worstOf(first)
  const usdMicros = above > 0n ? gasWorth(above, priced) : null
  if (usdMicros === null) return
  await onStorage('the spend ledger cannot be written', () => engine.ledger.coverGas(first.hash, usdMicros))
}

function worstOf({ rawTransaction }: JournalEntry): bigint {
  const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(rawTransaction)
  return gas * maxFeePerGas
}

function factsOf({ call, chain, wallet }: ExecutionContext, proposal: Proposal) {
  const { kind, nonce, attempt, replaces, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = proposal
  const fees = { gasLimit, maxFeePerGas, maxPriorityFeePerGas }
  return {
    ...callFacts(call),
    requestId: replaces?.requestId ?? call.requestId,
    transaction: { chainId: chain.id, from: wallet, kind, nonce, attempt, replaces: replaces?.hash ?? null, ...fees },
    why: kind === 'raise' ? 'raise the fees of a transaction that is stuck' : 'use up a nonce that nothing waits at',
  }
}

/**
 * That a transaction was cancelled by the operator, with the empty transfer that was mined in its place, where one is seen
 * to be; `null` where the operator did not, or where something else took its nonce.
 */
export async function minedInsteadOf(
  { engine, client }: World,
  { chainId, from, nonce, state }: JournalEntry,
): Promise<{ readonly noOp: Hash | null } | null> {
  if (state !== 'replaced') return null
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const noOps = attempts.filter(isNoOp).toReversed()
  if (noOps.length === 0 || !attempts.some(isCancelled)) return null
  return { noOp: await minedOf(client, noOps) }
}

type World = Pick<ExecutionContext, 'client'> & {
  readonly engine: { readonly transactions: Pick<Transactions, 'byNonce'> }
}

/** Whether the operator asked that a transaction be cancelled. */
export function isCancelled({ asked }: Pick<StoredTransaction, 'asked'>): boolean {
  return asked?.what === 'cancel'
}

/** One that is in the journal as mined; else, where fees were raised, the one that has a receipt. */
async function minedOf(client: PublicClient, noOps: readonly StoredTransaction[]): Promise<Hash | null> {
  const known = noOps.find(({ state }) => state === 'final' || state === 'reverted')
  if (known !== undefined) return known.hash
  for (const { hash } of noOps) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt !== null) return hash
  }
  return null
}
