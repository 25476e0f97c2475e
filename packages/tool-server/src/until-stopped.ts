/**
 * Resolves when the process is asked to end: SIGINT, SIGTERM, SIGHUP, or the death of the npm or npx that started it,
 * which do not hand a SIGTERM on to their child.
 */
export function untilStopped(environment: Readonly<Record<string, string | undefined>>): Promise<'signal' | 'parent'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('signal'))
    const parent = process.ppid
    if (environment['npm_command'] === undefined) return
    setInterval(() => {
      if (process.ppid !== parent) resolve('parent')
    }, 250).unref()
  })
}
