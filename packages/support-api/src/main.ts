import { existsSync } from 'node:fs'
import { openStore } from '@svc/store'
import { type Config, readConfig } from './config.ts'
import { ConfigError } from './config/config-error.ts'
import { statePath } from './state-path.ts'
import { describeFailure } from './describe-failure.ts'
import { openSupportApi } from './server.ts'
import { version } from './version.ts'

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
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(claimId)) return fail(`not the id of a claim.\n${help}`, 2)
  try {
    const retried = await retryClaim(readConfig(process.env), claimId)
    return retried === 'queued-again' ? tell('queued again') : fail(whyNot[retried], 1)
  } catch (error) {
    return failFor(error)
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

/**
 * Queues a claim again whose payment failed, beside the replicas that run: the one that leads takes it up. Where nothing
 * was to be queued it tells why: the claim is paid, on its way, or there is none of the id that had its first try. Throws
 * as `openStore` does, and a `ConfigError` for a directory without state.
 */
export async function retryClaim(config: Pick<Config, 'databaseUrl' | 'dataDir'>, claimId: string): Promise<Retried> {
  const store = await openStore({ ...placeOf(config), now: Date.now })
  try {
    if (await store.claims.retry(claimId)) return 'queued-again'
    const [claim] = await store.claims.movedOn([claimId])
    if (claim === undefined) return 'not-tried'
    return claim.state === 'confirmed' ? 'paid' : 'on-its-way'
  } finally {
    await store.close()
  }
}

type Retried = 'queued-again' | 'paid' | 'on-its-way' | 'not-tried'

function placeOf(config: Pick<Config, 'databaseUrl' | 'dataDir'>) {
  if (config.databaseUrl !== null) return { url: config.databaseUrl.reveal() }
  const { path } = statePath(config)
  if (existsSync(path)) return { path }
  const message = 'There is no state of the service in this directory.'
  const fix = 'Run it with the settings of the service.'
  throw new ConfigError([{ code: 'DATA_DIR_INVALID', setting: 'SVC_DATA_DIR', message, fix }])
}
