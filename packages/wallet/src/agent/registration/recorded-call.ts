import { randomUUID } from 'node:crypto'
import type { Submission } from '../../gas/submission.ts'
import { WalletError } from '../../wallet-error.ts'
import type { RegistrationContext } from './registration-context.ts'
import { isEnded, type RegistrationRecord } from './registration-records.ts'
import type { DeferredRegistration, PendingRegistration, RegistrationAttempt } from './registration.ts'

/** Submits one call to the registry, whose record is there before anything can leave. */
export async function submitRecorded(context: RegistrationContext, call: CallToRecord): Promise<Submitted> {
  const { chain, registry, owner, records, now } = context
  const record: RegistrationRecord = {
    ...call,
    token: randomUUID(),
    chainId: chain.id,
    registry,
    owner,
    state: 'prepared',
    txHash: null,
    userOperation: null,
    userOperationHash: null,
    tokenId: null,
    updatedAt: now(),
  }
  await records.save(record)
  try {
    return { record, submission: await context.submit(record) }
  } catch (error) {
    // With a signature in the journal the call may still come to the chain, and this record goes on with it.
    const isOut = await context.signed(record.token).then(
      (count) => count > 0,
      () => true,
    )
    const standing = (await records.load(record.token)) ?? record
    await records.save({ ...standing, state: isOut ? 'sent' : 'failed', updatedAt: now() })
    throw error
  }
}

type CallToRecord = Pick<RegistrationRecord, 'method' | 'agentURI' | 'data' | 'update' | 'warnings'>

export type Submitted = { readonly record: RegistrationRecord; readonly submission: Submission }

/**
 * The registration of this wallet that was begun and not ended, if there is one: the one `resume` names, or else the one
 * an earlier call left. It is gone on with, whatever the other options say. Throws `RESUME_TOKEN_INVALID`.
 */
export async function underWay(context: RegistrationContext): Promise<RegistrationRecord | null> {
  const { options, records, chain, registry, owner } = context
  if (options.resume !== undefined) {
    const record = await recordOf(context, options.resume)
    return record.state === 'registered' ? null : record
  }
  const record = await records.find(chain.id, registry, owner)
  return record === null || isEnded(record) ? null : record
}

/**
 * The record of a token, of a registration or of an update of that agent. Throws `RESUME_TOKEN_INVALID`, also for one that
 * was given up before anything was signed for it: another took its place.
 */
export async function recordOf(
  context: RegistrationContext,
  token: string,
  updateOf?: string,
): Promise<RegistrationRecord> {
  const { records, chain, registry, owner } = context
  const record = await records.load(token)
  const isOwn = record?.chainId === chain.id && record.owner === owner && record.registry === registry
  if (isOwn && record.update?.tokenId === updateOf) {
    if (record.state !== 'failed' || (await context.signed(token)) > 0) return record
    throw new WalletError('RESUME_TOKEN_INVALID', 'What the token stands for was given up; begin anew.', {
      suggestion: 'Call again without resume.',
      details: { resumeToken: token },
    })
  }
  const what = updateOf === undefined ? 'registration' : `update of agent ${updateOf}`
  throw new WalletError('RESUME_TOKEN_INVALID', `No ${what} by this wallet on this chain has the token.`, {
    details: { resumeToken: token, chainId: chain.id, registry, owner },
  })
}

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
    const { reason } = submission
    const said = `was mined and reverted${reason === null ? '' : `: ${reason}`}.`
    const details = { chainId: chain.id, registry: record.registry, txHash, reason }
    if (record.update === undefined) {
      throw new WalletError('REGISTRATION_REVERTED', `The registration ${said}`, { details })
    }
    const agentId = `${chain.id}:${record.update.tokenId}`
    throw new WalletError('UPDATE_REVERTED', `The update ${said}`, { details: { ...details, agentId } })
  }
  return { status, txHash, logs: submission.logs, gasTier: submission.gasTier, keep, ...common }
}

type Outcome =
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
  const outcome = outcomes[submission.status]
  const kind = update === undefined ? 'registration' : 'update'
  return [...attempts, ...submission.attempts, { kind, tier, outcome }]
}

const outcomes = {
  mined: 'done',
  reverted: 'failed',
  pending: 'pending',
  deferred: 'deferred',
} as const satisfies Record<Submission['status'], RegistrationAttempt['outcome']>
