import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readServerSettings, type ServerSettings } from '../server-settings.ts'

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
