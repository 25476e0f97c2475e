import { type PolicySource, type SafetyReport, startSweeper } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { type AlertWebhook, createAlertWebhook, createWaitingNotice } from './alerts/alert-webhook.ts'
import { type AlertWatch, watchAlerts } from './alerts/watch-alerts.ts'
import type { Config } from './config/config-shape.ts'
import type { OpenMetrics } from './metrics/open-metrics.ts'
import { joinObservers, type Observer } from './observer.ts'
import { nobody, type SafetySource } from './status/safety-source.ts'
import type { Tool } from './tool.ts'
import type { OpenTraces } from './traces/open-traces.ts'
import { postWebhook } from './watches/webhooks.ts'

/** Who watches a server: alerts always, figures where the settings ask for them; the code of what they do not ask for is not loaded. */
export async function openWatchers(config: Config, options: WatchersOptions): Promise<Watchers> {
  const { log, tools, policies } = options
  const seen: { safety: SafetySource | null } = { safety: null }
  const dailyLimitUsd = () => Number(policies.latest().limitsUsd.daily)
  const spentUsd = async () => spentDaily(await seen.safety?.safety(nobody))
  const alerting = openAlerts(config, { log, dailyLimitUsd, spentUsd })
  const traces = await openSpans(config, tools)
  const metrics = await openFigures(config, { tools, dailyLimitUsd, alerts: alerting.watch })
  const observers = [...alerting.observers, ...[metrics, traces].flatMap((one) => one?.observer ?? [])]
  return {
    observer: joinObservers(observers, log),
    alerts: () => alerting.watch.active(),
    begin(source) {
      seen.safety = source
      if (source !== null) metrics?.showSafetyOf(source)
      alerting.begin()
    },
    showFigures: async () => (metrics === null ? null : metrics.listen()),
    async close() {
      alerting.close()
      await metrics?.close()
      await traces?.close().catch((error: unknown) => log.warn('traces.unsent', { error }))
    },
  }
}

export type Watchers = {
  readonly observer: Observer
  readonly alerts: AlertWatch['active']
  /** Looks after limits and switches from now on; `null` for a server without a wallet, and again once it has one. */
  begin(source: SafetySource | null): void
  /** Where figures are shown from now on; `null` for nowhere. */
  showFigures(): Promise<Awaited<ReturnType<OpenMetrics['listen']>> | null>
  close(): Promise<void>
}

type WatchersOptions = {
  readonly tools: readonly Pick<Tool, 'name' | 'access'>[]
  readonly policies: Pick<PolicySource, 'latest'>
  readonly log: Log
}

function openAlerts(
  { webhook, operatorPage, publicUrl }: AlertsPlace,
  { log, ...sources }: Pick<WatchersOptions, 'log'> & AlertSources,
) {
  const closing = new AbortController()
  const common = { now: Date.now, log }
  const openHook = () =>
    webhook === null ? null : createAlertWebhook({ ...common, webhook, post: postWebhook, signal: closing.signal })
  // One for each: however much waits, it pushes no alert out of what is still to be sent.
  const hooks = { alerts: openHook(), waiting: openHook() }
  const through =
    (hook: AlertWebhook | null) =>
    (...what: Parameters<AlertWebhook['announce']>) => {
      hook?.announce(...what)
      void hook?.send()
    }
  const [announce, announceWaiting] = [through(hooks.alerts), through(hooks.waiting)]
  const watch = watchAlerts({ ...common, ...sources, announce: (what, alert) => announce(`alert.${what}`, alert) })
  const waiting = createWaitingNotice({
    announce: (data) => announceWaiting('approval.waiting', data),
    page: operatorPage && publicUrl?.startsWith('https:') === true ? new URL('/operator', publicUrl).href : null,
    now: Date.now,
  })
  let sweeper: ReturnType<typeof startSweeper> | null = null
  const sweep = () => {
    waiting.tell()
    return Promise.all([watch.sweep(), hooks.alerts?.send(), hooks.waiting?.send()])
  }
  return {
    watch,
    observers: [watch.observer, ...(webhook === null ? [] : [waiting.observer])],
    begin: () => {
      sweeper ??= startSweeper({ everyMs: sweepMs, sweep, onError: (error) => log.warn('alerts.unread', { error }) })
    },
    close: () => {
      sweeper?.stop()
      closing.abort()
    },
  }
}

type AlertsPlace = Pick<Config, 'webhook' | 'operatorPage' | 'publicUrl'>

type AlertSources = {
  readonly dailyLimitUsd: () => number
  readonly spentUsd: () => Promise<number | null>
}

/** How soon what time alone changes is looked at, and a webhook that was not taken is tried again. */
const sweepMs = 15_000

function spentDaily(report: SafetyReport | undefined): number | null {
  return report === undefined || report.spentUsd === null ? null : Number(report.spentUsd.daily)
}

async function openFigures(
  config: Config,
  parts: Pick<WatchersOptions, 'tools'> & { readonly dailyLimitUsd: () => number; readonly alerts: AlertWatch },
): Promise<OpenMetrics | null> {
  const { metrics } = config
  if (metrics === null) return null
  const { openMetrics } = await import('./metrics/open-metrics.ts')
  return openMetrics({ ...config, metrics }, { ...parts, now: Date.now })
}

async function openSpans(
  { tracesUrl, chains }: Pick<Config, 'tracesUrl' | 'chains'>,
  tools: WatchersOptions['tools'],
): Promise<OpenTraces | null> {
  if (tracesUrl === null) return null
  const { openTraces } = await import('./traces/open-traces.ts')
  const { createLabelValues } = await import('./metrics/label-values.ts')
  return openTraces(tracesUrl, createLabelValues(tools, chains))
}
