import { createLog, createRedactor, type Log, type LogDestination } from '@svc/runtime'
import type { Config } from '../config.ts'

/**
 * The log of the service: one JSON object a line, to stderr by default. Whatever is secret in the settings is
 * taken out of every line, so that an upstream's error may quote its own address.
 */
export function openLog(config: Config, destination?: LogDestination): Log {
  return createLog({ level: config.logLevel, redactor: createRedactor(secretsOf(config)), destination })
}

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
    ...endpoints.map((endpoint) => endpoint.replace(/\/$/, '')),
    ...endpoints.flatMap(keysIn),
  ]
}

/** Endpoints often hold a key, which they repeat when they refuse it: whatever in path and query is as long as one. */
function keysIn(endpoint: string): readonly string[] {
  const { pathname, search } = new URL(endpoint)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= shortestKey)
}

const shortestKey = 12
