import { access } from 'node:fs/promises'
import { readOperatorConfig } from '@svc/tool-server/operator-config'
import { UsageError } from '../usage-error.ts'
import { findWorldChains } from '../world-chains.ts'
import { ownChainFix } from './own-chain-fix.ts'

/**
 * The environment of a tool server on the settings of this one: in the data directory of a local world, on its chain unless the
 * settings name others. Throws `ConfigError`, and for a `--data-dir` that does not exist.
 */
export async function serverEnvironment(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const { dataDir: directory, chainsFile } = readOperatorConfig(
    dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir },
  )
  if (dataDir !== undefined) await requireDirectory(directory, dataDir)
  const worldChains = chainsFile === null ? await findWorldChains(directory) : null
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return {
    LOG_LEVEL: 'error',
    ...Object.fromEntries(given),
    SVC_DATA_DIR: directory,
    ...(worldChains === null ? {} : { SVC_CHAINS_FILE: worldChains }),
  }
}

async function requireDirectory(directory: string, said: string): Promise<void> {
  await access(directory).catch((cause: unknown) => {
    throw new Error(`--data-dir ${said} does not exist or cannot be read. ${ownChainFix}`, { cause })
  })
}
