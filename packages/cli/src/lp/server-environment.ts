import { readOperatorConfig } from '@svc/tool-server/operator-config'
import { UsageError } from '../usage-error.ts'
import { findWorldChains } from '../world-chains.ts'

/**
 * The environment of a tool server on the settings of this one: in the data directory of a local world, on its chain unless the
 * settings name others. Throws `ConfigError`.
 */
export async function serverEnvironment(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const { dataDir: directory, chainsFile } = readOperatorConfig(
    dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir },
  )
  const worldChains = chainsFile === null ? await findWorldChains(directory) : null
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return {
    LOG_LEVEL: 'error',
    ...Object.fromEntries(given),
    SVC_DATA_DIR: directory,
    ...(worldChains === null ? {} : { SVC_CHAINS_FILE: worldChains }),
  }
}
