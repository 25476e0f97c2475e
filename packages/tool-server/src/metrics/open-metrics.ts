import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { alertTable } from '../alerts/alert-table.ts'
import type { AlertWatch } from '../alerts/watch-alerts.ts'
import type { Config } from '../config/config-shape.ts'
import type { Observer, OpenTransport } from '../observer.ts'
import type { SafetySource } from '../status/safety-source.ts'
import { version } from '../status/status.ts'
import type { Tool } from '../tool.ts'
import { createGuards, hostNames } from '../transports/guards.ts'
import { createLabelValues } from './label-values.ts'
import { createMetricsListener } from './metrics-listener.ts'
import { observeCalls } from './observe-calls.ts'
import { type EngineFacts, observeEngine } from './observe-engine.ts'
import { createSamples, type Samples } from './samples.ts'
import { showSafety } from './show-safety.ts'

/** The figures of a server: who counts them, and the listener that shows them. Read only where `SVC_METRICS_LISTEN` is set. */
export function openMetrics(config: MetricsConfig, { tools, dailyLimitUsd, alerts, now }: MetricsParts): OpenMetrics {
  const samples = createSamples()
  const labels = createLabelValues(tools, config.chains)
  const seen: { transport: OpenTransport | null; safety: SafetySource | null } = { transport: null, safety: null }
  samples.set('svc_build_info', { version, profile: config.profile }, 1)
  beginAtZero(samples, tools)
  const { tls } = config
  const listener = createMetricsListener({
    tls: tls === null ? null : { cert: readFileSync(tls.certPath), key: readFileSync(tls.keyPath) },
    guards: createGuards({ ...config, allowedHosts: hostNames({ ...config, listen: config.metrics.listen }) }),
    token: config.metrics.token,
    contentType: samples.contentType,
    async text() {
      if (seen.transport !== null) {
        samples.set('svc_mcp_sessions', {}, seen.transport.sessions())
        samples.set('svc_http_connections', {}, await seen.transport.connections())
      }
      if (seen.safety !== null) await showSafety(samples, seen.safety)
      const active = new Set<string>(alerts.active().map(({ alert }) => alert))
      for (const { id } of alertTable) samples.set('svc_alert_active', { alert: id }, Number(active.has(id)))
      return samples.text()
    },
  })
  return {
    observer: {
      ...observeCalls(samples, labels),
      ...observeEngine(samples, { ...labels, dailyLimitUsd, now }),
      transport: (open) => void (seen.transport = open),
    },
    showSafetyOf: (source) => void (seen.safety = source),
    listen: () => listener.listen(config.metrics.listen),
    close: () => {
      samples.close()
      return listener.close()
    },
  }
}

export type OpenMetrics = {
  readonly observer: Observer
  /** Limits and switches stand among the figures from then on. */
  showSafetyOf(source: SafetySource): void
  listen(): Promise<AddressInfo>
  close(): Promise<void>
}

/** What alerts look at begins with 0, for what begins with its first event seems not to have risen. */
function beginAtZero(samples: Samples, tools: MetricsParts['tools']): void {
  for (const name of ['svc_tx_unknown_recipient_total', 'svc_tx_failed_total', 'svc_tx_large_total'] as const) {
    samples.count(name, {}, 0)
  }
  for (const limit of ['address', 'unauthenticated', 'token']) samples.count('svc_rate_limited_total', { limit }, 0)
  for (const { name: tool } of tools.filter(({ access }) => access === 'write')) {
    for (const direction of ['left', 'home']) samples.count('svc_tx_value_usd_total', { tool, direction }, 0)
  }
}

type MetricsParts = Pick<EngineFacts, 'dailyLimitUsd' | 'now'> & {
  readonly tools: readonly Pick<Tool, 'name' | 'access'>[]
  readonly alerts: Pick<AlertWatch, 'active'>
}

type MetricsConfig = Pick<
  Config,
  | 'profile'
  | 'chains'
  | 'tls'
  | 'trustedProxies'
  | 'clientAddressHeader'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'publicUrl'
> & { readonly metrics: NonNullable<Config['metrics']> }
