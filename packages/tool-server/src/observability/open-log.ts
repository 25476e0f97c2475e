import { createLog, createRedactor, type Log, type LogDestination } from '@svc/runtime'
import type { Config } from '../config/config-shape.ts'
import { secretsOf } from '../config/secrets.ts'

/** The log of a configuration, to stderr by default. API keys are hidden by shape, so later ones are too. */
export function openLog(config: Config, destination?: LogDestination): Log {
  return createLog({ level: config.logLevel, redactor: createRedactor(secretsOf(config)), destination })
}
