import { forbidDumps, isUuid } from '@svc/runtime'
import { readConfig } from './config.ts'
import { openSupportApi } from './server.ts'
import { version } from './version.ts'
import { describeFailure } from './describe-failure.ts'
import { retryClaim } from './faucet/payer/retry-claim.ts'

const help = `svc-support-api                  runs one replica until SIGTERM
svc-support-api retry-claim ID   queues a claim again whose payment failed
svc-support-api --version

Settings come from the environment; docs/support-api-reference.md names them. Required: SVC_IDENTITY_PROVIDER_URL.`

const whyNot = {
  paid: 'this claim is paid',
  'on-its-way': 'the transaction of this claim is on its way',
  'not-tried': 'there is no claim of this id, or it waits for its first payment',
}

// The production entry: one process, one replica, everything from the environment. A signal ends it in good order, a
// second one at once. With the words `retry-claim ID` it queues a claim again whose payment failed, and ends.
process.exit(await main(process.argv.slice(2)))

/** The exit code: 0 ended as asked, 1 it could not be opened or done, 2 the words of the call are off. */
async function main(words: readonly string[]): Promise<number> {
  const [command, claimId] = words
  if (command === 'retry-claim' && claimId !== undefined && words.length === 2) return retry(claimId)
  if (words.length === 1 && (command === '--help' || command === '-h')) return tell(help)
  if (words.length === 1 && command === '--version') return tell(version)
  return words.length === 0 ? serve() : fail(`such a call has no meaning.\n${help}`, 2)
}

async function retry(claimId: string): Promise<number> {
  if (!isUuid(claimId)) return fail(`not the id of a claim.\n${help}`, 2)
  try {
    const retried = await retryClaim(readConfig(process.env), claimId)
    return retried === 'queued-again' ? tell('queued again') : fail(whyNot[retried], 1)
  } catch (error) {
    return failFor(error)
  }
}

async function serve(): Promise<number> {
  const stopped = untilStopped()
  const toDo = forbidDumps()
  if (toDo !== null) process.stderr.write(`svc-support-api: ${toDo}\n`)
  try {
    const api = await openSupportApi(readConfig(process.env), { ownsProcess: true })
    const { url } = await api.listen()
    process.stderr.write(`svc-support-api listens on ${url}\n`)
    await stopped
    await api.close()
    return 0
  } catch (error) {
    return failFor(error)
  }
}

function tell(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function failFor(error: unknown): number {
  return fail(describeFailure(error, { hasDatabase: (process.env['SVC_DATABASE_URL'] ?? '') !== '' }), 1)
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
