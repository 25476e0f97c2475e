import { chains } from '@svc/wallet/core'

/**
 * The names of the chains that the server of a data directory knows, by their ids; the built-in ones where its settings are
 * not all at hand, as beside a database on another machine.
 */
export async function chainNamesOf(
  dataDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<number, string>> {
  const { readServerSettings } = await import('../server-settings.ts')
  const known = await readServerSettings(dataDir, environment).then(
    ({ config }) => config.chains,
    () => chains,
  )
  return new Map(known.map(({ id, name }) => [id, name]))
}
