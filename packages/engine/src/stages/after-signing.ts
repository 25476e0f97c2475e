import type { Hash } from 'viem'
import { type ErrorCode, ToolError } from '@svc/amm'
import type { Progress } from '../context/progress.ts'
import type { Step } from '../context/step.ts'

/**
 * What the caller hears of a failure of the pipeline. Before the first signature it is the failure itself. After it, nothing
 * may read as "nothing happened": the hashes signed so far are named, and the code is `OPERATION_INCOMPLETE`, which is
 * not to be repeated. A code of its own stays only where it speaks of the transactions itself, or where nothing but
 * approvals was mined and nothing is out: those are revoked, at the latest before the next write.
 */
export function afterSigning({ signed, mined }: Progress, failure: unknown, revoked: Revoked = []): unknown {
  if (signed.length === 0) return failure
  const known = failure instanceof ToolError ? failure : null
  if (known !== null && speaksOfItself.has(known.code)) return failure
  const named = new Set(known?.details.map(({ txHash }) => txHash))
  const hashes = signed
    .map(({ step, hash }) => ({ message: step.label, txHash: minedHash(mined, step) ?? hash }))
    .filter(({ txHash }) => !named.has(txHash))
  const ends = revoked.map(({ transactionHash: txHash }) => ({ message: 'take back an allowance', txHash }))
  const details = [...(known?.details ?? []), ...hashes, ...ends]
  if (known !== null && !isOwnState.has(known.code)) {
    const out = signed.length - mined.length - (speaksOfLast(known, signed) ? 1 : 0)
    if (out === 0 && mined.every(({ step }) => step.kind === 'approve')) {
      const { code, message, suggestion, cause } = known
      return new ToolError(code, message, { details, suggestion, ...(cause === undefined ? {} : { cause }) })
    }
  }
  const why = known === null ? 'something went wrong inside the server' : known.message
  return new ToolError('OPERATION_INCOMPLETE', `The call was cut short after it had signed: ${why}`, {
    details,
    cause: failure,
  })
}

type Revoked = readonly { readonly transactionHash: Hash }[]

/** Whether a failure is about the transaction signed last: it is never mined, or was declined and may be. */
function speaksOfLast({ code, details }: ToolError, signed: Progress['signed']): boolean {
  if (code === 'TRANSACTION_NOT_SENT' || code === 'CANCELLED_BY_OPERATOR') return true
  return code === 'OPERATION_IN_DOUBT' && details.some(({ txHash }) => txHash === signed.at(-1)?.hash)
}

/** The transaction a step was mined as, which may be a later one than was signed first. */
function minedHash(mined: Progress['mined'], step: Step): Hash | undefined {
  return mined.find((one) => one.step === step)?.receipt.transactionHash
}

const speaksOfItself: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['TRANSACTION_REVERTED', 'TRANSACTION_PENDING'])

/** What became of the bytes is not known when our own state fails. */
const isOwnState: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['STORAGE_UNAVAILABLE', 'INTERNAL'])
