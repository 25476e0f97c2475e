import { pino } from 'pino'
import type { Redactor } from './redact.ts'

/** The process's log: one JSON object a line, redacted, never on stdout (stdio transport owns that). */
export type Log = {
  debug(event: string, facts?: LogFacts): void
  info(event: string, facts?: LogFacts): void
  warn(event: string, facts?: LogFacts): void
  error(event: string, facts?: LogFacts): void
  /** Writes out what is still buffered, before the process ends. */
  flush(): void
  /** Whether such lines are written: what is called often skips building those that nobody reads. */
  readonly writesDebug: boolean
  readonly writesInfo: boolean
}

export type LogFacts = Readonly<Record<string, unknown>>

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Where lines go. */
export type LogDestination = { write(line: string): unknown; flushSync?(): void }

/** Makes a log that writes one line for each event, to stderr by default. */
export function createLog(options: {
  readonly level: LogLevel
  readonly redactor: Redactor
  readonly destination?: LogDestination | undefined
}): Log {
  const { redactor, destination = standardError() } = options
  const write = (line: string) => void destination.write(line)
  const logger = pino({ level: options.level, base: null, messageKey: 'event' }, { write })
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => {
    if (!logger.isLevelEnabled(level)) return () => {}
    // What is expected to go wrong now and then is logged in a line; whoever looks closer sees where it came from.
    const isBrief = level === 'warn' && !logger.isLevelEnabled('debug')
    const shown = (facts: LogFacts) => (isBrief ? redactor.brief(facts) : redactor.value(facts))
    return (event: string, facts: LogFacts = {}) => logger[level](shown(facts), event)
  }
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => destination.flushSync?.(),
    writesDebug: logger.isLevelEnabled('debug'),
    writesInfo: logger.isLevelEnabled('info'),
  })
}

/**
 * Lines are written together, within 20 ms or 8 kB: each write costs a thread and a turn of its own, which is more than most lines take to make.
 * What ends in order has written all; a process that is killed loses those of the last moment.
 */
function standardError(): LogDestination {
  const stream = pino.destination({ fd: 2, sync: false, minLength: 8_192 })
  let [unwritten, waits] = [0, false]
  // While a write is on its way the library flushes nothing: what came meanwhile is written after it.
  stream.on('write', (bytes: number) => (unwritten -= bytes))
  stream.on('drain', () => {
    if (unwritten > 0 && !waits) stream.flush()
  })
  return {
    write(line) {
      unwritten += Buffer.byteLength(line)
      stream.write(line)
      if (waits) return
      waits = true
      setTimeout(() => {
        waits = false
        stream.flush()
      }, 20)
    },
    flushSync() {
      stream.flushSync()
      unwritten = 0
    },
  }
}
