import { existsSync } from 'node:fs'
import { type OpenedServer, type StartFacts, openServer } from './open-server.ts'
import { readConfig } from './config.ts'
import type { Config } from './config/config-shape.ts'
import { mostLostText } from '@svc/engine'
import { forbidDumps, printable } from '@svc/runtime'
import { envFilePath } from './config/env-file.ts'

/**
 * The whole life of a server process: opens what the environment describes, serves it, and closes it in good order when
 * the process is asked to end or, over stdio, when the client has gone. `onListening` hears what to say about it: its address on the
 * first line, then what it offers, where its keys are, under which mode, wallet, policy and limits, whether signing is paused, and
 * whether its data directory is new; at the end what is waited for and what is kept. Throws as
 * `readConfig` and `openServer` do.
 */
export async function runServer({
  transport,
  environment,
  stopped,
  onListening,
  meant = '',
}: RunOptions): Promise<void> {
  const dumps = dumpLine(forbidDumps())
  const config = readConfig(environment)
  const wasThere = existsSync(config.dataDir)
  const newDirectory = () => (wasThere || !existsSync(config.dataDir) ? '' : newDirectoryLine(config.dataDir, meant))
  const server = await openServer(config)
  try {
    if (transport === 'stdio') {
      const said = `${dumps}${pauseLine(server.facts, config)}${newDirectory()}`
      if (said !== '') onListening(said)
      await Promise.race([server.serveStdio(), stopped])
    } else {
      const address = listening(await server.listen(), config, environment)
      onListening(`${address}${startLines(server.facts)}${dumps}${pauseLine(server.facts, config)}${newDirectory()}`)
      await stopped
      onListening(stoppingLine(server.writesUnderWay(), 10))
    }
  } finally {
    await closeWithin(
      closesWithinMs,
      () => server.close(),
      () => {
        onListening(
          'Stopped. Something did not close in 20 s and was cut off; what was signed stands in the journal.\n',
        )
        process.exit(1)
      },
    )
  }
  if (transport === 'http' || server.writesUnderWay() > 0) {
    onListening(stoppedLine(server.writesUnderWay(), config))
  }
}

export type RunOptions = {
  readonly transport: 'stdio' | 'http'
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settles when the process is asked to end. */
  readonly stopped: Promise<unknown>
  readonly onListening: (lines: string) => void
  /** A sentence about another directory that may have been meant, for a start that makes a new one. */
  readonly meant?: string
}

/** Closes, or gives up on what hangs: a database that went away must not keep a process that was asked to end. */
export async function closeWithin(timeoutMs: number, close: () => Promise<void>, giveUp: () => void): Promise<void> {
  const timer = setTimeout(giveUp, timeoutMs)
  await close().finally(() => clearTimeout(timer))
}

/** Calls have ten seconds to end, streams two more. */
const closesWithinMs = 20_000

/** That memory might reach the disk by a crash; empty where it does not. */
function dumpLine(toDo: string | null): string {
  return toDo === null ? '' : `core dumps: ${toDo}\n`
}

/** A slip in a name makes a server with new keys and without a past, so a start that makes its directory says so, loudly and last. */
function newDirectoryLine(dataDir: string, meant: string): string {
  return `NEW DATA DIRECTORY: ${dataDir} was made just now, with keys and records of its own; no server has run there before. ${meant}`
    .trimEnd()
    .concat('\n')
}

/** What a person hears who ends a server: for how many writes it waits, and for how long. */
export function stoppingLine(writes: number, atMostSeconds: number): string {
  if (writes === 0) return 'Stopping. No write is on its way.\n'
  const which = writes === 1 ? 'One write that is on its way is' : `${writes} writes that are on their way are`
  return `Stopping. ${which} waited for, at most ${atMostSeconds} s; nothing more is signed. A second Ctrl-C ends it at once.\n`
}

/** What a person hears once it has ended: what is kept, and what becomes of writes that were left unfinished. */
export function stoppedLine(unfinished: number, { dataDir, databaseUrl }: KeptIn): string {
  const place = databaseUrl === null ? dataDir : `${dataDir} and the database of SVC_DATABASE_URL`
  if (unfinished === 0) return `Stopped. What the next start goes on with is kept in ${place}.\n`
  const which = unfinished === 1 ? 'One write is' : `${unfinished} writes are`
  return (
    `Stopped. ${which} not finished: what was signed stands in the journal in ${place}, nothing is signed twice, and the next start ` +
    'on this directory sees it through before it takes writes.\n'
  )
}

type KeptIn = Pick<Config, 'dataDir' | 'databaseUrl'>

function listening(
  { url, tools, metricsUrl }: Awaited<ReturnType<OpenedServer['listen']>>,
  { profile, dataDir, webSocket }: Config,
  environment: RunOptions['environment'],
): string {
  const keys = ['SVC_API_KEY_READ', 'SVC_API_KEY_FEEDBACK', 'SVC_API_KEY_WRITE']
  const inFile = keys.filter((name) => (environment[name] ?? '') === '')
  const place = inFile.length === 0 ? 'the environment' : envFilePath(dataDir)
  const rest = inFile.length === 0 || inFile.length === keys.length ? '' : ', the others in the environment'
  const named = inFile.length === 0 ? keys : inFile
  const upgrades = webSocket ? `over WebSocket: ${url.replace(/^http/, 'ws')} (subprotocol mcp)\n` : ''
  const figures = metricsUrl === null ? '' : `figures for Prometheus: ${metricsUrl}\n`
  return `svc listens on ${url}\n${upgrades}${figures}${tools} tools (profile ${profile}); API keys (${named.join(', ')}) in ${place}${rest}\n`
}

/** The same for a terminal, one line each. */
export function startLines(facts: StartFacts): string {
  const { mode, wallet, policy, limitsUsd, mostLostUsd, allowlist, role, leader = null } = facts
  const { perTransaction, perSession, daily, approvalAbove } = limitsUsd
  const asked = approvalAbove === null ? 'no amount needs a person' : `a person is asked above ${approvalAbove}`
  return [
    mode === 'production' ? 'mode: production' : 'mode: development; the rules of NODE_ENV=production do not hold',
    `wallet: ${wallet === 'none' ? 'none, so nothing is signed' : wallet}`,
    `policy: ${policy === 'defaults' ? 'defaults' : JSON.stringify(policy).slice(1, -1)}`,
    `limits: ${perTransaction} USD a transaction, ${perSession} a session, ${daily} a day; ${asked}; allowlist ${allowlist}`,
    `lost at most in any 24 hours: ${mostLostText(mostLostUsd)}, beside what the market does; docs/policy.md says what else is not in it`,
    ...(role === 'follower'
      ? [
          `role: follower of ${printable(leader ?? 'another server', 200)}: answers reads, and writes once that one has ended`,
        ]
      : []),
    '',
  ].join('\n')
}

/** That a pause stands, which a server that starts does not end, and how to end it; empty without one. */
export function pauseLine({ pause }: Pick<StartFacts, 'pause'>, { dataDir }: Pick<Config, 'dataDir'>): string {
  if (pause === null) return ''
  const { since, by, reason } = pause
  const who = by === null ? '' : ` by ${printable(by)}`
  const why = reason === null ? '' : `, because "${printable(reason, 500)}"`
  return `signing: PAUSED since ${printable(since)}${who}${why}. Go on with: svc resume --data-dir ${dataDir}\n`
}
