import { join } from 'node:path'
import { makeDirectory, readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import {
  apiKeyFrom,
  apiKeySetting,
  checkHost,
  envFilePath,
  isRpcProvider,
  keyTiers,
  mergeEnvFile,
  ownerKeyName,
  readEnvFile,
} from '@svc/tool-server'
import { type Chain, findChain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { clients, serverProgram } from './clients.ts'
import { deployContainer, type Deployed } from './deploy-container.ts'
import { type DeployTarget, deployTargets, type DeployTargetName } from './deploy-files.ts'
import { type ProductionAnswers, isRole } from './production-inputs.ts'
import { type Tried, tryServer } from './try-server.ts'
import { type ObtainedWallet, obtainWallet } from '@svc/tool-server/provisioning'

/** The steps of a set-up for production, in their order. */
export const productionSteps = [
  'Prerequisites',
  'Wallet provider',
  'Managed wallet',
  'Environment file',
  'Policy of the wallet',
  'Deployment target',
  'Deployment',
  'Health',
  'Identity',
  'Client',
] as const

/**
 * Sets a data directory up for production. No setting is written before the wallet stands at its provider as it should; a second run finds what the
 * first has made, and changes nothing. Throws where a step cannot be done, naming it.
 */
export async function setUpProduction(answers: ProductionAnswers, world: ProductionWorld): Promise<ProductionSetup> {
  const { dataDir, say } = world
  await requireHost(dataDir, world.place)
  say(0, 'Node, disk and environment file will do.')
  say(1, answers.walletProvider)
  const written = readEnvFile(envFilePath(dataDir))
  const wallet = await walletAtProvider(answers, written, world)
  say(2, `${wallet.address} (${wallet.walletId}), ${origins[wallet.origin]}.`)
  const { changed, backup } = await writeSettings(answers, wallet, world)
  await wallet.settled()
  const former = backup === null ? '' : `; the former file is ${backup}`
  say(3, changed.length === 0 ? 'as it was.' : `${changed.length} settings written (0600)${former}.`)
  say(
    4,
    `as the template of ${answers.role} says, read back and compared; what it does not allow is refused, which was tried.`,
  )
  const target: DeployTarget = deployTargets[answers.deployTarget as DeployTargetName]
  say(5, target.title)
  const command = target.command(world)
  const files = await writeDeployment(target.files(world), dataDir)
  const deployment = await deploy(target, world)
  const listed = files.length === 0 ? '' : ` Files: ${files.join(', ')}.`
  say(
    6,
    deployment.deployed ? `${deployment.said}${listed}` : `not deployed.${deployment.said}${listed} Run: ${command}`,
  )
  const tried = await tryServer(answers, { ...world, say: (step, text) => say(step === 'health' ? 7 : 8, text) })
  const configuration = clients.generic.stdio(serverProgram(dataDir))
  say(9, 'the words of other clients: svc setup client NAME')
  return {
    dataDir,
    walletId: wallet.walletId,
    address: wallet.address,
    changed,
    backup,
    ownerKeyFile: wallet.ownerKeyFile,
    deployment: { target: answers.deployTarget, deployed: deployment.deployed, files, command },
    ...tried,
    configuration,
  }
}

const origins = {
  made: 'made',
  found: 'made by a run that was cut off, and found again',
  settings: 'there already',
} as const satisfies Record<WalletAtProvider['origin'], string>

/** What a set-up works on. */
export type ProductionWorld = {
  readonly dataDir: string
  /** The same as a word of a shell. */
  readonly place: string
  /** Where an image would be built from. */
  readonly clone: string
  /** Whose the data directory is, `uid:gid`; `null` where the system has no such. */
  readonly user: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly chains: readonly Chain[]
  readonly randomBytes: (size: number) => Uint8Array
  readonly registersIdentity: boolean
  /** Hears what came of a step, by its place in {@link productionSteps}. */
  readonly say: (step: number, text: string) => void
}

export type ProductionSetup = Tried & {
  readonly dataDir: string
  readonly walletId: string
  readonly address: Address
  /** The settings that were written; empty where all of them stood there. */
  readonly changed: readonly string[]
  readonly backup: string | null
  /** Where the key is that owns wallet and policy, to be moved away; `null` where the operator has it. */
  readonly ownerKeyFile: string | null
  readonly deployment: {
    readonly target: string
    readonly deployed: boolean
    readonly files: readonly string[]
    readonly command: string
  }
  /** For a client that starts the server. */
  readonly configuration: string
}

async function requireHost(dataDir: string, place: string): Promise<void> {
  const failing = (await checkHost(dataDir, place)).filter(({ status }) => status === 'fail')
  if (failing.length === 0) return
  throw new Error(failing.map(({ id, message, fix }) => `${id}: ${message} ${fix}`).join('\n'))
}

/** Writes what is not there: settings, the owner's key, and what the next run takes for its defaults. */
async function writeSettings(answers: ProductionAnswers, wallet: WalletAtProvider, world: ProductionWorld) {
  const { dataDir, environment, randomBytes } = world
  makeDirectory(dataDir)
  if (wallet.ownerPrivateKey !== null) await replaceIfOther(join(dataDir, ownerKeyName), `${wallet.ownerPrivateKey}\n`)
  const file = envFilePath(dataDir)
  const written = readEnvFile(file)
  const keys = keyTiers.map((tier) => {
    const name = apiKeySetting(tier)
    return [name, written[name] ?? apiKeyFrom(tier, randomBytes(32))] as const
  })
  const given = ['SVC_WALLET_API_URL', 'SVC_CHAINS_FILE'].flatMap((name) =>
    environment[name] ? [[name, environment[name]] as const] : [],
  )
  const merged = mergeEnvFile(file, {
    NODE_ENV: 'production',
    SVC_MCP_PROFILE: written['SVC_MCP_PROFILE'] === 'learning' ? 'learning' : 'full',
    WALLET_TYPE: 'managed',
    WALLET_APP_ID: answers.appId,
    WALLET_APP_SECRET: answers.appSecret,
    WALLET_ID: wallet.walletId,
    WALLET_AUTH_PRIVATE_KEY: wallet.authPrivateKey,
    // Production refuses one, and the former file still has it.
    PRIVATE_KEY: null,
    ...endpointSettings(answers, world.chains),
    ...Object.fromEntries([...keys, ...given]),
  })
  await replaceIfOther(join(dataDir, setupRecord), `${JSON.stringify(rememberedOf(answers), null, 2)}\n`)
  return merged
}

function endpointSettings({ rpcProvider, rpcApiKey, chains }: ProductionAnswers, table: readonly Chain[]) {
  const key = rpcApiKey === '' ? {} : { RPC_API_KEY: rpcApiKey }
  if (isRpcProvider(rpcProvider) || /\{chain(Id)?\}/.test(rpcProvider)) return { SVC_RPC_PROVIDER: rpcProvider, ...key }
  const chain = findChain(table, chains)
  const url = rpcProvider.replaceAll('{key}', encodeURIComponent(rpcApiKey))
  return chain === undefined ? {} : { [`SVC_RPC_URL_${chain.id}`]: url }
}

/** What a later run takes for its defaults. */
export const setupRecord = 'setup.json'

function rememberedOf({ walletProvider, chains, role, deployTarget }: ProductionAnswers) {
  return {
    SETUP_WALLET_PROVIDER: walletProvider,
    SETUP_CHAINS: chains,
    SETUP_ROLE: role,
    SETUP_DEPLOY_TARGET: deployTarget,
  }
}

/** What can be started from here is, and is looked at. */
async function deploy(target: DeployTarget, { dataDir, environment }: ProductionWorld): Promise<Deployed> {
  const { healthUrl } = target
  if (healthUrl === undefined) return { deployed: false, said: '' }
  const composeFile = join(dataDir, 'deploy', 'compose.yaml')
  const { deployed, said } = await deployContainer({ composeFile, healthUrl, environment })
  return { deployed, said: deployed ? said : ` ${said}` }
}

async function writeDeployment(files: Readonly<Record<string, string>>, dataDir: string): Promise<readonly string[]> {
  const folder = join(dataDir, 'deploy')
  if (Object.keys(files).length > 0) makeDirectory(folder)
  for (const [name, text] of Object.entries(files)) await replaceIfOther(join(folder, name), text)
  return Object.keys(files).map((name) => join(folder, name))
}

async function replaceIfOther(path: string, text: string): Promise<void> {
  if ((await readFileIfPresent(path)) !== text) await replaceFileDurably(path, text)
}

/**
 * The wallet that the environment file names, held against the template of the role, the one that a run which was cut off was making, or a new
 * one. Throws where the wallet is not as it should be.
 */
async function walletAtProvider(
  answers: ProductionAnswers,
  written: Readonly<Record<string, string>>,
  world: Place,
): Promise<WalletAtProvider> {
  const { appId, appSecret, authKey, ownerKey, role } = answers
  if (!isRole(role)) throw new Error(`There is no role ${role}.`)
  const apiUrl = world.environment['SVC_WALLET_API_URL'] || written['SVC_WALLET_API_URL']
  const [walletId, authPrivateKey] = [written['WALLET_ID'], written['WALLET_AUTH_PRIVATE_KEY']]
  const wallet = await obtainWallet(
    {
      app: { appId, appSecret, apiUrl },
      authKey: authKey === '' ? null : authKey,
      ownerKey: ownerKey === '' ? null : ownerKey,
      role,
      chains: answers.chains.split(',').flatMap((name) => findChain(world.chains, name.trim()) ?? []),
    },
    {
      dataDir: world.dataDir,
      standing: walletId === undefined || authPrivateKey === undefined ? null : { walletId, authPrivateKey },
      randomBytes: world.randomBytes,
    },
  )
  const ownerKeyFile = wallet.ownerPrivateKey === null ? null : join(world.dataDir, ownerKeyName)
  return { ...wallet, ownerKeyFile }
}

/** With where the key of its owner lies; `null` where that is the operator's own. */
type WalletAtProvider = ObtainedWallet & { readonly ownerKeyFile: string | null }

type Place = {
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly chains: readonly Chain[]
  readonly randomBytes: (size: number) => Uint8Array
}
