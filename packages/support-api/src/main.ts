import { readConfig } from './config.ts'
import { retryClaim } from './faucet/retry-claim.ts'
import { openSupportApi } from './server.ts'

// The production entry: one process, one replica, everything from the environment. A signal ends it in good order, a
// second one at once. With the words `retry-claim ID` it queues a claim again whose payment failed, and ends.
process.exit(await main(process.argv.slice(2)))

/** The exit code: 0 ended as asked, 1 it could not be opened or done, 2 the words of the call are off. */
async function main(words: readonly string[]): Promise<number> {
  const [command, claimId] = words
  if (command === 'retry-claim' && claimId !== undefined && words.length === 2) return retry(claimId)
  return words.length === 0 ? serve() : fail('takes no words, or retry-claim and the id of a claim', 2)
}

async function retry(claimId: string): Promise<number> {
  try {
    if (await retryClaim(readConfig(process.env), claimId)) return 0
    return fail('no claim of this id has failed', 1)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1)
  }
}

async function serve(): Promise<number> {
  const stopped = untilStopped()
  try {
    const api = await openSupportApi(readConfig(process.env), { ownsProcess: true })
    const { url } = await api.listen()
    process.stderr.write(`svc-support-api listens on ${url}\n`)
    await stopped
    await api.close()
    return 0
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1)
  }
}

function fail(message: string, exitCode: number): number {
  process.stderr.write(`svc-support-api: ${message}\n`)
  return exitCode
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
