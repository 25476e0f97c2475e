import { pino } from 'pino'
import type { Config } from '../config.ts'

/**
 * The log of the service: one JSON object a line, to stderr unless told otherwise. Whatever is secret in the settings is
 * taken out of every line, so that an upstream's error may quote its own address.
 */
export function openLog(config: Config, destination: LogDestination = pino.destination({ fd: 2, sync: false })): Log {
  const hide = hider(secretsOf(config))
  const logger = pino(
    { level: config.logLevel, base: null, messageKey: 'event' },
    { write: (line: string) => void destination.write(hide(line)) },
  )
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (event: string, facts: LogFacts = {}) =>
      logger[level](facts, event)
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    writesDebug: logger.isLevelEnabled('debug'),
    flush: () => destination.flushSync?.(),
  })
}

export type Log = {
  debug(event: string, facts?: LogFacts): void
  info(event: string, facts?: LogFacts): void
  warn(event: string, facts?: LogFacts): void
  /** A fact called `err` is written with its causes. */
  error(event: string, facts?: LogFacts): void
  /** Lets the hot road skip building lines that nobody reads. */
  readonly writesDebug: boolean
  flush(): void
}

export type LogFacts = Readonly<Record<string, unknown>>

export type LogDestination = { write(line: string): unknown; flushSync?(): void }

function secretsOf({ databaseUrl, pins: { backend }, faucet }: Config): readonly string[] {
  const database = databaseUrl?.reveal()
  const endpoints = [
    ...(backend.kind === 'embedded' ? [] : [backend.url]),
    ...(faucet?.chains.flatMap(({ rpcUrls }) => rpcUrls) ?? []),
  ]
  return [
    ...(database === undefined ? [] : [database, new URL(database).password]),
    ...(backend.kind === 'pinata' ? [backend.jwt.reveal()] : []),
    ...(backend.kind === 'pinning-service' ? [backend.token.reveal()] : []),
    ...(faucet === null ? [] : [faucet.privateKey.reveal(), faucet.privateKey.reveal().slice(2)]),
    ...endpoints,
    ...endpoints.flatMap(keysIn),
  ]
}

/** Endpoints often hold a key, which they repeat when they refuse it: whatever in path and query is as long as one. */
function keysIn(endpoint: string): readonly string[] {
  const { pathname, search } = new URL(endpoint)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= shortestKey)
}

const shortestKey = 12

function hider(secrets: readonly string[]): (line: string) => string {
  const spellings = secrets
    .flatMap((secret) => [secret, decoded(secret), secret.replace(/\/$/, ''), JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  if (spellings.length === 0) return (line) => line
  const pattern = new RegExp(spellings.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi')
  return (line) => line.replace(pattern, '[secret]')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Shorter values would blank out ordinary words. */
const shortest = 6
