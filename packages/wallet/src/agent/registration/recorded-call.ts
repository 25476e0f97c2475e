import { randomUUID } from 'node:crypto'
import type { Submission } from '../../gas/submission.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationContext } from './registration-context.ts'

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

export type CallToRecord = Pick<RegistrationRecord, 'method' | 'agentURI' | 'data' | 'update'>

export type Submitted = { readonly record: RegistrationRecord; readonly submission: Submission }
