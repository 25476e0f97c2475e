import { pino, type DestinationStream } from 'pino'
import type { Redactor } from './redact.ts'

/** The process's log: one JSON object a line, redacted, never on stdout (stdio transport owns that). */
export type Log = {
  debug(event: string, facts?: LogFacts): void
  info(event: string, facts?: LogFacts): void
  warn(event: string, facts?: LogFacts): void
  error(event: string, facts?: LogFacts): void
  /** Whether `info` lines are written; lets the hot road skip building them. */
  readonly writesInfo: boolean
}

export type LogFacts = Readonly<Record<string, unknown>>

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Makes a log writing to `destination` (an object with `write(line)`), one line per event. */
export function createLog(options: {
  readonly level: LogLevel
  readonly redactor: Redactor
  readonly destination: DestinationStream
}): Log {
  const { redactor } = options
  const logger = pino({ level: options.level, base: null, messageKey: 'event' }, options.destination)
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => {
    if (!logger.isLevelEnabled(level)) return () => {}
    return (event: string, facts: LogFacts = {}) => logger[level](redactor.value(facts), event)
  }
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    writesInfo: logger.isLevelEnabled('info'),
  })
}
