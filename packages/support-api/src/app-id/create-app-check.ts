import { boundedBytes, withDeadline } from '@svc/wallet/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { createFloodLimit } from '../limits/create-flood-limit.ts'
import type { Metrics } from '../observability/create-metrics.ts'
import { appIdPattern } from '../config/schema.ts'

/**
 * The check of app ids against the identity provider. What it said is remembered, requests that ask for the same app at
 * the same time share one question, and only so many questions are open at once. Questions about apps that were never
 * known are limited, by range of addresses and in all, and leave room for the others; an app that was known stays so for
 * an hour more while the provider fails. Every refusal has one body and comes after one time, so that it tells nobody
 * whether an id is malformed, unknown or missing.
 */
export function createAppCheck(options: AppCheckOptions): AppCheck {
  const { now, metrics, refusalStepMs = 1_000 } = options
  const pauseOf = createRefusalPause({ stepMs: refusalStepMs, now: () => performance.now() })
  const [known, unknown, unsure] = [createMemory(now), createMemory(now), createMemory(now)]
  const wasKnown = (appId: string) => known.has(appId, keptForMs)
  const takeNew = limitNew(now)
  const open = new Map<string, Promise<boolean>>()
  const ask = async (appId: string): Promise<boolean> => {
    try {
      const isKnown = await askProvider(appId, options)
      metrics.checkedApp(isKnown ? 'known' : 'unknown')
      if (!isKnown) known.drop(appId)
      ;(isKnown ? known : unknown).add(appId)
      return isKnown
    } catch (error) {
      metrics.checkedApp('failed')
      if (!wasKnown(appId)) throw unavailable(error)
      unsure.add(appId)
      return true
    } finally {
      open.delete(appId)
    }
  }
  const isApp = async (appId: string | null, network: string): Promise<boolean> => {
    if (appId === null || !appIdPattern.test(appId) || unknown.has(appId, unknownForMs)) return false
    if (known.has(appId, knownForMs) || (wasKnown(appId) && unsure.has(appId, unsureForMs))) return true
    const asked = open.get(appId)
    if (asked !== undefined) return asked
    if (wasKnown(appId)) {
      if (open.size >= mostOpen) return true
    } else {
      if (open.size >= mostOpenNew) throw unavailable(new Error(`${mostOpenNew} questions are open`))
      takeNew(network)
    }
    const answer = ask(appId)
    open.set(appId, answer)
    return answer
  }
  return {
    async require(appId, network) {
      const startedAt = performance.now()
      if (await isApp(appId, network)) return
      await sleep(pauseOf(performance.now() - startedAt))
      throw new ApiError('APP_ID_INVALID', 'The app id is missing or not known to the wallet provider.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    },
  }
}

export type AppCheck = {
  /**
   * Resolves for an app that the provider knows. Throws `APP_ID_INVALID`, `UPSTREAM_UNAVAILABLE` when it does not say, and
   * `RATE_LIMITED` when `network`, the range of addresses the request came from, names too many new ones.
   */
  require(appId: string | null, network: string): Promise<void>
}

export type AppCheckOptions = {
  readonly provider: { readonly url: string; readonly path: string }
  readonly fetch: typeof fetch
  /** Unix milliseconds. */
  readonly now: () => number
  readonly metrics: Metrics
  /** 5 s when absent. */
  readonly timeoutMs?: number
  readonly refusalStepMs?: number
}

const knownForMs = 10 * 60_000
const keptForMs = knownForMs + 60 * 60_000
const unknownForMs = 60_000
/** A provider that failed is not asked about the same app again at once. */
const unsureForMs = 30_000
const mostOpen = 128
const mostOpenNew = 96
const newPerMinute = 1_200
const newPerNetworkAndMinute = 20
const mostRemembered = 10_000

/** Takes one out of what a range of addresses and all together may ask about new apps. Throws `RATE_LIMITED`. */
function limitNew(now: () => number): (network: string) => void {
  const message = 'Too many new app ids are asked about.'
  const holdNetwork = createFloodLimit({ name: 'new-apps', message, perMinute: newPerNetworkAndMinute, now })
  const holdAll = createFloodLimit({ name: 'new-apps', message, perMinute: newPerMinute, now })
  return (network) => {
    holdNetwork(network)
    holdAll('all')
  }
}

/** Remembers since when; of too many ids the oldest is forgotten. */
function createMemory(now: () => number) {
  const since = new Map<string, number>()
  return {
    has(id: string, forMs: number): boolean {
      const at = since.get(id)
      return at !== undefined && now() - at < forMs && now() >= at
    },
    add(id: string): void {
      since.delete(id)
      since.set(id, now())
      if (since.size > mostRemembered) since.delete(since.keys().next().value ?? id)
    },
    drop: (id: string) => void since.delete(id),
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('UPSTREAM_UNAVAILABLE', 'The wallet provider does not say whether it knows the app.', {
    cause,
    retryAfterSeconds: 5,
  })
}

/**
 * How long to wait before a refusal that took `elapsedMs` to find out, so that all refusals come after one time: after
 * `stepMs`, and where finding out took longer, all of them after as many whole steps for the next ten minutes.
 */
export function createRefusalPause({ stepMs, now }: RefusalPauseOptions): (elapsedMs: number) => number {
  let slowest = { steps: 1, at: now() }
  return (elapsedMs) => {
    const steps = Math.floor(elapsedMs / stepMs) + 1
    if (steps >= slowest.steps || Math.abs(now() - slowest.at) > rememberedMs) slowest = { steps, at: now() }
    return slowest.steps * stepMs - elapsedMs
  }
}

type RefusalPauseOptions = {
  readonly stepMs: number
  /** Milliseconds. */
  readonly now: () => number
}

const rememberedMs = 10 * 60_000

/**
 * Asks the identity provider once whether it knows an app: yes is a 200 with JSON whose `id` is the app's, no is a 404 or
 * a 400 with JSON whose `error` or `message` speaks of an app. Anything else, a redirect, an answer of more than 256 KiB and
 * what any web server says of a path it does not have among it, is no answer and rejects.
 */
async function askProvider(appId: string, { provider, fetch, timeoutMs = 5_000 }: ProviderQuestion): Promise<boolean> {
  const path = provider.path.replace('{appId}', encodeURIComponent(appId))
  const url = `${provider.url}${path}`
  const { status, text } = await withDeadline({ timeoutMs }, async (signal) => {
    const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal })
    const bytes = await boundedBytes(answer, { mostBytes, signal })
    return { status: answer.status, text: new TextDecoder().decode(bytes) }
  })
  if (status === 404 || status === 400) {
    if (speaksOfApp(text, path)) return false
    throw new Error(`What stands at the address of the identity provider answered ${status} in words of its own.`)
  }
  if (status !== 200) throw new Error(`The identity provider answered ${status}.`)
  const said: unknown = JSON.parse(text)
  if (typeof said === 'object' && said !== null && 'id' in said && said.id === appId) return true
  throw new Error('The identity provider answered for no app, or another one.')
}

type ProviderQuestion = {
  readonly provider: { readonly url: string; readonly path: string }
  readonly fetch: typeof fetch
  readonly timeoutMs?: number
}

/** Servers without such a path echo it, so it is left out; other words for an error are not about the app. */
function speaksOfApp(text: string, path: string): boolean {
  try {
    const said: unknown = JSON.parse(text)
    if (typeof said !== 'object' || said === null) return false
    const words = ['error' in said ? said.error : null, 'message' in said ? said.message : null]
    return words.some((word) => typeof word === 'string' && /\bapp(lication)?\b/i.test(word.replaceAll(path, '')))
  } catch {
    return false
  }
}

const mostBytes = 256 * 1024
