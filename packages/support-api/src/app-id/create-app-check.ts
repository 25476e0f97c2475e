import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../api-error.ts'
import type { Metrics } from '../observability/create-metrics.ts'
import { appIdPattern } from './app-id-pattern.ts'
import { askProvider } from './ask-provider.ts'

/**
 * The check of app ids against the identity provider. What it said is remembered, requests that ask for the same app at
 * the same time share one question, and only so many questions are open at once. Every refusal has one body and comes
 * after a whole number of `refusalStepMs`, so that it tells nobody whether an id is malformed, unknown or missing.
 */
export function createAppCheck(options: AppCheckOptions): AppCheck {
  const { now, metrics, refusalStepMs = 250 } = options
  const known = createMemory(knownForMs, now)
  const unknown = createMemory(unknownForMs, now)
  const open = new Map<string, Promise<boolean>>()
  const ask = (appId: string): Promise<boolean> => {
    const asked = open.get(appId)
    if (asked !== undefined) return asked
    if (open.size >= mostOpen) throw unavailable(new Error(`${mostOpen} questions are open`))
    const answer = askProvider(appId, options)
      .then((isKnown) => {
        metrics.checkedApp(isKnown ? 'known' : 'unknown')
        ;(isKnown ? known : unknown).add(appId)
        return isKnown
      })
      .catch((error: unknown) => {
        metrics.checkedApp('failed')
        throw unavailable(error)
      })
      .finally(() => open.delete(appId))
    open.set(appId, answer)
    return answer
  }
  const isApp = async (appId: string | null): Promise<boolean> => {
    if (appId === null || !appIdPattern.test(appId) || unknown.has(appId)) return false
    return known.has(appId) || (await ask(appId))
  }
  return {
    async require(appId) {
      const startedAt = performance.now()
      if (await isApp(appId)) return
      const elapsedMs = performance.now() - startedAt
      await sleep(refusalStepMs - (elapsedMs % refusalStepMs))
      throw new ApiError('APP_ID_INVALID', 'The app id is missing or not known to the wallet provider.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    },
  }
}

export type AppCheck = {
  /** Resolves for an app that the provider knows. Throws `APP_ID_INVALID`, or `UPSTREAM_UNAVAILABLE` when it does not say. */
  require(appId: string | null): Promise<void>
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
const unknownForMs = 60_000
const mostOpen = 128
const mostRemembered = 10_000

/** Remembers ids for a while; of too many the oldest is forgotten. */
function createMemory(forMs: number, now: () => number) {
  const since = new Map<string, number>()
  return {
    has(id: string): boolean {
      const at = since.get(id)
      return at !== undefined && now() - at < forMs && now() >= at
    },
    add(id: string): void {
      since.delete(id)
      since.set(id, now())
      if (since.size > mostRemembered) since.delete(since.keys().next().value ?? id)
    },
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('UPSTREAM_UNAVAILABLE', 'The wallet provider does not say whether it knows the app.', {
    cause,
    retryAfterSeconds: 5,
  })
}
