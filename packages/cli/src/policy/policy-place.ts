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
