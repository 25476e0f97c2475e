import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ErrorCode } from '../errors.ts'

/** The figures of one process, in the text format of Prometheus. Every label takes its values from a closed set. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const waiting: { readonly labels: { readonly route: string; readonly status: number }; readonly value: number }[] = []
  const observe = () => {
    for (const { labels, value } of waiting.splice(0)) seconds.observe(labels, value)
  }
  const seconds = new Histogram({
    name: 'svc_api_request_seconds',
    help: 'Time from the end of the headers to the answer.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
    collect: observe,
  })
  const refusals = new Counter({
    name: 'svc_api_refusals_total',
    help: 'Requests refused, by the code of the answer.',
    labelNames: ['code'],
    registers,
  })
  const pins = new Counter({
    name: 'svc_api_pins_total',
    help: 'Pins asked for: new, known already, or failed and refunded.',
    labelNames: ['outcome'],
    registers,
  })
  const appChecks = new Counter({
    name: 'svc_api_app_checks_total',
    help: 'Questions to the identity provider about app ids, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const settled = new Counter({
    name: 'svc_api_faucet_settled_total',
    help: 'Claims whose payment this replica saw through to its end: confirmed, or failed.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['confirmed', 'failed']) settled.inc({ outcome }, 0)
  registry.registerMetric(
    new Gauge({
      name: 'svc_api_resident_bytes',
      help: 'Resident memory of the process.',
      registers: [],
      collect() {
        this.set(process.memoryUsage.rss())
      },
    }),
  )
  return {
    registry,
    served(route, status, ms) {
      // Many at once: between two requests the library's code has left the processor's caches, and takes ten times as long.
      if (waiting.push({ labels: { route, status }, value: ms / 1_000 }) === mostWaiting) observe()
    },
    refused: (code) => refusals.inc({ code }),
    pinned: (outcome) => pins.inc({ outcome }),
    checkedApp: (outcome) => appChecks.inc({ outcome }),
    settled: (outcome) => settled.inc({ outcome }),
    text: () => registry.metrics(),
  }
}

const mostWaiting = 256

export type Metrics = {
  /** Parts with figures of their own add them here. */
  readonly registry: Registry
  /** `route` is a route's path as registered. */
  served(route: string, status: number, ms: number): void
  refused(code: ErrorCode): void
  pinned(outcome: 'new' | 'known' | 'failed'): void
  checkedApp(outcome: 'known' | 'unknown' | 'failed'): void
  settled(outcome: 'confirmed' | 'failed'): void
  text(): Promise<string>
}
