import { type StartFacts, openServer } from './open-server.ts'
import { readConfig } from './config.ts'
import type { Config } from './config/config-shape.ts'
import { envFilePath } from './config/env-file.ts'

/**
 * The whole life of a server process: opens what the environment describes, serves it, and closes it in good order when
 * the process is asked to end or, over stdio, when the client has gone. `onListening` hears what to say about it: its address on the
 * first line, then what it offers, where its keys are, and under which mode, wallet, policy and limits. Throws as
 * `readConfig` and `openServer` do.
 */
export async function runServer({ transport, environment, stopped, onListening }: RunOptions): Promise<void> {
  const config = readConfig(environment)
  const server = await openServer(config)
  try {
    if (transport === 'stdio') {
      await Promise.race([server.serveStdio(), stopped])
      return
    }
    onListening(`${listening(await server.listen(), config, environment)}${startLines(server.facts)}`)
    await stopped
  } finally {
    await server.close()
  }
}

export type RunOptions = {
  readonly transport: 'stdio' | 'http'
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settles when the process is asked to end. */
  readonly stopped: Promise<unknown>
  readonly onListening: (lines: string) => void
}

function listening(
  { url, tools }: { readonly url: string; readonly tools: number },
  { profile, dataDir }: Config,
  environment: RunOptions['environment'],
): string {
  const keys = ['SVC_API_KEY_READ', 'SVC_API_KEY_FEEDBACK', 'SVC_API_KEY_WRITE']
  const inFile = keys.filter((name) => (environment[name] ?? '') === '')
  const place = inFile.length === 0 ? 'the environment' : envFilePath(dataDir)
  const rest = inFile.length === 0 || inFile.length === keys.length ? '' : ', the others in the environment'
  const named = inFile.length === 0 ? keys : inFile
  return `svc listens on ${url}\n${tools} tools (profile ${profile}); API keys (${named.join(', ')}) in ${place}${rest}\n`
}

/** The same for a terminal, one line each. */
export function startLines({ mode, wallet, policy, limitsUsd, allowlist }: StartFacts): string {
  const { perTransaction, perSession, daily, approvalAbove } = limitsUsd
  const asked = approvalAbove === null ? 'nobody is asked' : `a person is asked above ${approvalAbove}`
  return [
    mode === 'production' ? 'mode: production' : 'mode: development; the rules of NODE_ENV=production do not hold',
    `wallet: ${wallet === 'none' ? 'none, so nothing is signed' : wallet}`,
    `policy: ${policy === 'defaults' ? 'defaults' : JSON.stringify(policy).slice(1, -1)}`,
    `limits: ${perTransaction} USD a transaction, ${perSession} a session, ${daily} a day; ${asked}; allowlist ${allowlist}`,
    '',
  ].join('\n')
}
