/**
 * Does works at once, and throws what failed first only when all have ended: what goes on after a failure would do it for a lead that is
 * given up by then.
 */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works)
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
