import type { Log, LogFacts, LogLevel, Redactor } from '@svc/runtime'

/** The log of a place without files: the same lines as of a process, each handed to `write`. */
export function createLineLog({ level, redactor, write, now }: LineLogOptions): Log {
  const least = levels[level]
  const at = (name: 'debug' | 'info' | 'warn' | 'error') => {
    if (levels[name] < least) return () => {}
    // As everywhere: what is expected to go wrong now and then is a line without a stack.
    const isBrief = name === 'warn' && least > levels.debug
    return (event: string, facts: LogFacts = {}) => {
      const shown = isBrief ? redactor.brief(facts) : redactor.value(facts)
      write(JSON.stringify({ level: levels[name], time: now(), ...Object(shown), event }))
    }
  }
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => {},
    writesDebug: levels.debug >= least,
    writesInfo: levels.info >= least,
  })
}

export type LineLogOptions = {
  readonly level: LogLevel
  readonly redactor: Pick<Redactor, 'brief' | 'value'>
  readonly write: (line: string) => void
  /** Unix milliseconds. */
  readonly now: () => number
}

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const
