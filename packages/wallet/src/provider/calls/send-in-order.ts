import type { JournalEntry } from '../../journal.ts'
import type { CallBatch } from './call-batches.ts'
import type { CallsContext } from './calls-context.ts'
import type { BatchedCall } from './read-calls.ts'

/**
 * Sends the first call of a batch, and the others one after the other while this process lives, each when the one before
 * it is settled. Resolves when the first is out; what it throws then, it throws with nothing out. A call that fails, or
 * whose end is not known for too long, is the last.
 */
export async function sendInOrder(
  context: CallsContext,
  batch: CallBatch,
  calls: readonly BatchedCall[],
  keep: () => Promise<void>,
): Promise<void> {
  const { sending, underWay } = context
  const { id, requestId } = batch
  const send = (step: number): Promise<JournalEntry> | null => {
    const call = calls[step]
    const free = { gasLimit: null, maxFeePerGas: null, maxPriorityFeePerGas: null }
    return call === undefined
      ? null
      : sending.send({ ...call, ...free }, { requestId, step }, step === 0 ? keep : undefined)
  }
  const first = await send(0)
  if (first === null) return
  underWay.add(id)
  void follow(context, first, send)
    // What went wrong shows in the journal: this call is not in it, and none comes after it.
    .catch(() => undefined)
    .finally(() => underWay.delete(id))
}

async function follow(
  { sending }: CallsContext,
  first: JournalEntry,
  send: (step: number) => Promise<JournalEntry> | null,
): Promise<void> {
  const sender = await sending.open()
  let entry: JournalEntry | null = first
  for (let step = 1; entry !== null; step += 1) {
    const { status } = await sender.confirm(entry, { timeoutMs: longestWaitMs })
    if (status !== 'final') return
    entry = await send(step)
  }
}

const longestWaitMs = 600_000
