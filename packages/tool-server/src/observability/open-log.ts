import { pino } from 'pino'
import type { Config } from '../config.ts'
import { secretsOf } from '../config/secrets.ts'
import { createLog, type Log, type LogDestination } from './log.ts'
import { createRedactor } from './redact.ts'

/** The log of a configuration, to stderr unless told otherwise. API keys are hidden by shape, so later ones are too. */
export function openLog(config: Config, destination: LogDestination = stderr()): Log {
  return createLog({ level: config.logLevel, redactor: createRedactor(secretsOf(config)), destination })
}

function stderr() {
  return pino.destination({ fd: 2, sync: false })
}
