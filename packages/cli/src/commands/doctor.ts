import { resolve } from 'node:path'
import type { Diagnosis } from '@svc/tool-server'
import { requireDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { printable } from '../policy/policy-place.ts'
import { shellWord } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'
import { findWorldChains, readWorldKey } from '../world-directory.ts'

/**
 * `svc doctor`: the checks of the tool `check_setup_health` without a server and beside one, each that fails with the command that fixes it.
 * Changes nothing. Resolves to exit code 0 where nothing fails, else 1.
 */
export async function doctor(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['json'] })
  const environment = await serverEnvironment(flags['data-dir'], process.env)
  const { diagnoseSetup } = await import('@svc/tool-server')
  const place = shellWord(resolve(environment['SVC_DATA_DIR'] || '.svc'))
  const found = await diagnoseSetup(environment, { place })
  const ok = found.checks.every(({ status }) => status !== 'fail')
  const count = found.checks.filter(({ status }) => status === 'pass').length
  const shown = { ok, profile: found.profile, version: found.version, passed: count, checks: found.checks }
  process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : textOf(found, ok))
  return ok ? 0 : 1
}

/** What a server in the directory starts with; in that of a local world its chains and its wallet unless others are named. */
async function serverEnvironment(
  dataDir: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const given = dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir }
  const directory = resolve(given['SVC_DATA_DIR'] || '.svc')
  if (dataDir !== undefined) await requireDirectory(directory)
  const [chains, key] = await Promise.all([findWorldChains(directory), readWorldKey(directory)])
  return {
    ...(chains === null ? {} : { SVC_CHAINS_FILE: chains }),
    ...(key === null || given['WALLET_TYPE'] !== undefined ? {} : { PRIVATE_KEY: key }),
    ...given,
  }
}

function textOf({ checks }: Diagnosis, ok: boolean): string {
  const width = Math.max(...checks.map(({ id }) => id.length))
  const lines = checks.flatMap(({ id, status, message, fix }) => [
    `${marks[status]}  ${id.padEnd(width)}  ${printable(message)}`,
    ...(fix === null ? [] : [`${' '.repeat(width + 8)}${printable(fix)}`]),
  ])
  const count = (status: keyof typeof marks) => checks.filter((check) => check.status === status).length
  const [failed, warned] = [count('fail'), count('warn')]
  const summary = ok ? 'Nothing fails' : `${failed} ${failed === 1 ? 'check fails' : 'checks fail'}`
  return `${lines.join('\n')}\n\n${summary}, ${warned} ${warned === 1 ? 'warning' : 'warnings'}, ${count('pass')} in order.\n`
}

const marks = { pass: 'ok  ', warn: 'warn', fail: 'FAIL' } as const
