import type { Progress } from '../context/execution-context.ts'
import type { Step } from '../context/step.ts'
import type { Reserved } from './reserve-spend.ts'
import { besideReceipt, isUnmoved } from './revalidate.ts'
import { confirm } from './transact.ts'

/**
 * Whether a step may be signed while what was sent before it is still out. Approvals may, one after the other: none rests on what another
 * does, the chain mines them in the order of their nonces, and each is signed on the same simulation a moment later. A call is signed
 * only once everything before it is mined, and so is an approval for which the plan would have to be simulated again.
 */
export function mayFollow(context: Reserved, progress: Progress, next: Step): boolean {
  const { sent } = progress
  if (sent.length === 0) return true
  return [...sent.map(({ step }) => step), next].every(({ kind }) => kind === 'approve') && isUnmoved(context, progress)
}

/**
 * Waits for everything that is out, at once. What is mined is noted also where another fails; throws the first failure then, as
 * `confirm` does.
 */
export async function confirmSent(context: Reserved, progress: Progress): Promise<void> {
  const sent = progress.sent.splice(0)
  const outcomes = await Promise.allSettled(
    sent.map(({ step, entry }, index) => {
      const isLast = index === sent.length - 1
      return confirm(context, step, entry, isLast ? besideReceipt(context, progress) : undefined)
    }),
  )
  for (const [index, { step }] of sent.entries()) {
    const outcome = outcomes[index]
    if (outcome?.status === 'fulfilled') progress.mined.push({ step, receipt: outcome.value })
  }
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
