import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { bucketsOf, type LabelsOf, metricCatalogue, type MetricName } from './metric-catalogue.ts'
import { addProcessFigures } from './process-figures.ts'

/** The figures of one process, in the text format of Prometheus. What is counted waits until it is shown, or until there is much of it. */
export function createSamples(): Samples {
  const registry = new Registry()
  const waiting: Waiting[] = []
  const made = makeAll(registry)
  const flush = () => {
    for (const { name, labels, value } of waiting.splice(0)) {
      const metric = made.get(name)
      if (value === null) clearGauge(metric)
      else if (metric instanceof Counter) metric.inc(labels, value)
      else if (metric instanceof Histogram) metric.observe(labels, value)
      else metric?.set(labels, value)
    }
  }
  const put = (name: string, labels: Readonly<Record<string, string>>, value: number | null) => {
    // Many at once: between two calls the library's code has left the processor's caches, and takes ten times as long.
    if (waiting.push({ name, labels, value }) === mostWaiting) flush()
  }
  const endWatch = addProcessFigures(registry)
  return Object.freeze({
    count: (name, labels, by = 1) => put(name, labels, by),
    observe: put,
    set: put,
    clear: (name) => put(name, {}, null),
    contentType: registry.contentType,
    text: () => {
      flush()
      return registry.metrics()
    },
    close: endWatch,
  } satisfies Samples)
}

export type Samples = {
  /** By one, or by more, never by less than nothing. */
  count<Name extends MetricName<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void
  observe<Name extends MetricName<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void
  set<Name extends MetricName<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void
  /** It is not known, and not shown until it is set again. */
  clear(name: MetricName<'gauge'>): void
  readonly contentType: string
  text(): Promise<string>
  close(): void
}

type Waiting = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** `null` takes away what there is. */
  readonly value: number | null
}

const mostWaiting = 512

function makeAll(registry: Registry): ReadonlyMap<string, Counter | Gauge | Histogram> {
  const registers = [registry]
  const made = (row: (typeof metricCatalogue)[number]) => {
    const { name, help } = row
    const common = { name, help, labelNames: [...row.labels], registers }
    if (row.type === 'counter') return new Counter(common)
    if (row.type === 'gauge') return clearGauge(new Gauge(common))
    return new Histogram({ ...common, buckets: [...bucketsOf[row.name]] })
  }
  return new Map(metricCatalogue.map((row) => [row.name, made(row)]))
}

/** The library shows 0 for a gauge without labels that was never set. */
function clearGauge<Metric extends Counter | Gauge | Histogram | undefined>(metric: Metric): Metric {
  if (!(metric instanceof Gauge)) return metric
  metric.reset()
  metric.remove({})
  return metric
}
