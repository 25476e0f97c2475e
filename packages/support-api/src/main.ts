import { readConfig } from './config.ts'
import { openSupportApi } from './server.ts'

// The production entry: one process, one replica, everything from the environment. A signal ends it in good order, a
// second one at once.
process.exit(await main())

/** The exit code: 0 ended as asked, 1 it could not be opened. */
async function main(): Promise<number> {
  const stopped = untilStopped()
  try {
    const api = await openSupportApi(readConfig(process.env))
    const { url } = await api.listen()
    process.stderr.write(`svc-support-api listens on ${url}\n`)
    await stopped
    await api.close()
    return 0
  } catch (error) {
    process.stderr.write(`svc-support-api: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(130)
        isAsked = true
        resolve()
      })
    }
  })
}
