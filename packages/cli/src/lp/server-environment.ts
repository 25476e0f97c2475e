import { access } from 'node:fs/promises'
import { readOperatorConfig } from '@svc/tool-server/operator-config'
import { UsageError } from '../usage-error.ts'
import { findWorldChains } from '../world-chains.ts'

/**
 * The environment of a tool server on the settings of this one: in the data directory of a local world, on its chain unless the
 * settings name others. Throws `ConfigError`, for a `--data-dir` that does not exist, and for the local chain where nothing tells of it.
 */
export async function serverEnvironment(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  chain: string,
): Promise<Readonly<Record<string, string>>> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const { dataDir: directory, chainsFile } = readOperatorConfig(
    dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir },
  )
  if (dataDir !== undefined) await requireDirectory(directory, dataDir, chain)
  const worldChains = chainsFile === null ? await findWorldChains(directory) : null
  if (chainsFile === null && worldChains === null && isLocal(chain)) {
    throw new Error(dataDir === undefined ? worldMend : `No local world has run in ${dataDir}. ${worldMend}`)
  }
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return {
    LOG_LEVEL: 'error',
    ...Object.fromEntries(given),
    SVC_DATA_DIR: directory,
    ...(worldChains === null ? {} : { SVC_CHAINS_FILE: worldChains }),
  }
}

const worldMend =
  'The local chain is known by the directory of its world: start one with `npm start -- --data-dir world`, then say --data-dir world ' +
  'here. A world that runs shows its directory as "data".'

function isLocal(chain: string): boolean {
  return /^(local|31337)$/i.test(chain)
}

async function requireDirectory(directory: string, said: string, chain: string): Promise<void> {
  await access(directory).catch((cause: unknown) => {
    const isMissing = `--data-dir ${said} does not exist or cannot be read.`
    throw new Error(isLocal(chain) ? `${isMissing} ${worldMend}` : isMissing, { cause })
  })
}
