import type { OperatorRequest, StoredTransaction } from '@svc/store'
import { isNoOp, type JournalState } from '@svc/wallet/core'
import { formatEther, formatGwei, parseTransaction, slice, size, type Hex } from 'viem'
import type { Asker } from './askers-of.ts'

/** One signed transaction in plain JSON. `attempts` are all at its nonce, first attempt first; `now` in Unix milliseconds. */
export function describeTransaction(
  transaction: StoredTransaction,
  attempts: readonly StoredTransaction[],
  { asker, chainNames, now }: Context,
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
  readonly step: number
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
