import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * The figures of the process itself, under the names that dashboards know. Read when they are asked for: the library's own set watches
 * every collection of garbage, which costs each call. Gives what ends the watch over the event loop.
 */
export function addProcessFigures(registry: Registry): () => void {
  const registers = [registry]
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  // Once: worked out anew it would move by a little, and look like a restart.
  const beganAtSeconds = Date.now() / 1_000 - process.uptime()
  let countedSeconds = 0
  registry.registerMetric(
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time of the process, in its own code and in the system.',
      registers: [],
      collect() {
        const { user, system } = process.cpuUsage()
        const seconds = (user + system) / 1e6
        this.inc(seconds - countedSeconds)
        countedSeconds = seconds
      },
    }),
  )
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  gauge('process_start_time_seconds', 'When the process began, in Unix seconds.', () => beganAtSeconds)
  gauge('nodejs_heap_size_used_bytes', 'Used heap.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of the event loop since the last reading, p99.', () => {
    const seconds = delay.percentile(99) / 1e9
    delay.reset()
    return seconds
  })
  return () => void delay.disable()
}
