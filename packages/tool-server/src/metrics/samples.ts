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
      if (metric instanceof Counter) metric.inc(labels, value)
      else if (metric instanceof Histogram) metric.observe(labels, value)
      else metric?.set(labels, value)
    }
  }
  const put = (name: string, labels: Readonly<Record<string, string>>, value: number) => {
    // Many at once: between two calls the library's code has left the processor's caches, and takes ten times as long.
    if (waiting.push({ name, labels, value }) === mostWaiting) flush()
  }
  addProcessFigures(registry)
  return Object.freeze({
    count: (name, labels, by = 1) => put(name, labels, by),
    observe: put,
    set: put,
    contentType: registry.contentType,
    text: () => {
      flush()
      return registry.metrics()
    },
  } satisfies Samples)
}

export type Samples = {
  /** By one, or by more, never by less than nothing. */
  count<Name extends MetricName<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void
  observe<Name extends MetricName<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void
  set<Name extends MetricName<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void
  readonly contentType: string
  text(): Promise<string>
}

type Waiting = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const mostWaiting = 512

function makeAll(registry: Registry): ReadonlyMap<string, Counter | Gauge | Histogram> {
  const registers = [registry]
  const made = (row: (typeof metricCatalogue)[number]) => {
    const { name, help } = row
    const common = { name, help, labelNames: [...row.labels], registers }
    if (row.type === 'counter') return new Counter(common)
    if (row.type === 'gauge') return new Gauge(common)
    return new Histogram({ ...common, buckets: [...bucketsOf[row.name]] })
  }
  return new Map(metricCatalogue.map((row) => [row.name, made(row)]))
}
