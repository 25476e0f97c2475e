import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readServerSettings, type ServerSettings } from '../server-settings.ts'
import { printable as capped } from '@svc/runtime'
import { ToolError } from '@svc/amm'

/** The settings of the server whose policy is meant, and where the policy is. Throws as {@link readServerSettings} does. */
export async function policyPlace(
  dataDir: string | undefined,
  file: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServerSettings & { readonly path: string }> {
  const settings = await readServerSettings(dataDir, environment)
  return { ...settings, path: file ?? join(settings.config.dataDir, 'policy.json') }
}

/** Whether anything has this name. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/**
 * Whether there is a policy at the path; without one the defaults hold. Throws where the file that was named does not exist,
 * so that a slip in a name does not pass for a server that keeps the defaults.
 */
export async function findPolicy(path: string, file: string | null): Promise<boolean> {
  const exists = await isThere(path)
  if (file !== null && !exists) throw new Error(`${file} does not exist`)
  return exists
}

/** Says on stderr what is wrong with a file, one line a member. Throws what is no fault of the file. */
export function printProblems(file: string, error: unknown): void {
  if (!(error instanceof ToolError)) throw error
  const lines = error.details.map(
    ({ field, message, accepted }) =>
      `  ${printable(field === '' ? '(the file)' : `${field}`)}: ${printable(message)}${endpointIn(accepted)}`,
  )
  process.stderr.write([`${file}: ${error.message}`, ...lines, error.suggestion, ''].join('\n'))
}

/** Of an endpoint that failed, the setting by which another one is named. */
function endpointIn(accepted: unknown): string {
  return typeof accepted === 'string' && accepted.includes('SVC_RPC_URL_') ? ` Accepted: ${printable(accepted)}.` : ''
}

/** A text of unknown origin for a terminal. The reasons of a policy are long, and only what is endless is cut. */
export function printable(text: string, maxLength = 2_000): string {
  return capped(text, maxLength)
}

/** Says on stderr, in one line, which policy a command works with. */
export function sayPolicy(path: string, exists: boolean): void {
  process.stderr.write(exists ? `Policy: ${path}\n` : `Policy: the defaults, for there is no ${path}\n`)
}
