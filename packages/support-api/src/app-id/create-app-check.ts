import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../api-error.ts'
import { createFloodLimit } from '../limits/create-flood-limit.ts'
import type { Metrics } from '../observability/create-metrics.ts'
import { appIdPattern } from './app-id-pattern.ts'
import { askProvider } from './ask-provider.ts'

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
