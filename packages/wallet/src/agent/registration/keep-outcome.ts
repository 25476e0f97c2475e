import type { Submission } from '../../gas/submission.ts'
import { WalletError } from '../../wallet-error.ts'
import type { DeferredRegistration, PendingRegistration, RegistrationAttempt } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationContext } from './registration-context.ts'

/**
 * Keeps in the record what became of its call. Gives what is still to come, or that it is mined; the record of a mined
 * call is for the caller to end, by `keep`. Throws `REGISTRATION_REVERTED` or `UPDATE_REVERTED`.
 */
export async function keepOutcome(
  context: RegistrationContext,
  record: RegistrationRecord,
  submission: Submission,
): Promise<Outcome> {
  const { chain, records, now, warnings } = context
  // The record as it stands: the way to the chain may have kept an operation in it.
  const keep = async (change: Partial<RegistrationRecord>) =>
    records.save({ ...((await records.load(record.token)) ?? record), ...change, updatedAt: now() })
  const attempts = attemptsOf(context, record, submission)
  const common = { chainId: chain.id, attempts, warnings: [...warnings, ...submission.warnings] }
  const { status } = submission
  if (status === 'deferred') {
    await keep({ state: 'deferred' })
    return { status, resumeToken: record.token, fund: submission.fund, ...common }
  }
  if (status === 'pending') {
    const { txHash, userOperationHash } = submission
    await keep({ state: 'sent', txHash, userOperationHash })
    return { status, resumeToken: record.token, txHash, userOperationHash, ...common }
  }
  const { txHash } = submission
  if (status === 'reverted') {
    await keep({ state: 'failed', txHash })
    const said = submission.reason === null ? '' : `: ${submission.reason}`
    const [code, what] =
      record.update === undefined
        ? (['REGISTRATION_REVERTED', 'registration'] as const)
        : (['UPDATE_REVERTED', 'update'] as const)
    throw new WalletError(code, `The ${what} was mined and reverted${said}.`, { details: { txHash } })
  }
  return { status, txHash, logs: submission.logs, gasTier: submission.gasTier, keep, ...common }
}

export type Outcome =
  | Omit<DeferredRegistration, 'code'>
  | Omit<PendingRegistration, 'code'>
  | (Omit<Extract<Submission, { readonly status: 'mined' }>, 'attempts' | 'warnings'> &
      Pick<PendingRegistration, 'chainId' | 'attempts' | 'warnings'> & {
        readonly keep: (change: Partial<RegistrationRecord>) => Promise<void>
      })

function attemptsOf(
  { attempts }: RegistrationContext,
  { method: tier, update }: RegistrationRecord,
  submission: Submission,
): readonly RegistrationAttempt[] {
  const outcome = submission.status === 'mined' ? 'done' : submission.status === 'reverted' ? 'failed' : 'pending'
  const kind = update === undefined ? 'registration' : 'update'
  return [...attempts, ...submission.attempts, { kind, tier, outcome }]
}
