import type { Operation } from '@svc/store'

/** What comes of a decision, in words for whoever made it. */
export function outcome({ id, state }: Pick<Operation, 'id' | 'state'>): string {
  if (state === 'denied') return 'Denied.'
  if (state === 'scheduled') return 'Approved. It is carried out when its time has come.'
  return (
    `Approved. It is carried out once, as soon as the caller calls execute_plan with planId ${id}, or repeats its call ` +
    'under the same idempotencyKey, before it expires.'
  )
}
