import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { loadPolicy, openReads } from '@svc/engine'
import type { Address } from 'viem'
import { chainAccess, readConfig } from '../config.ts'
import { type Config, ConfigError, type ConfigProblem } from '../config/config-shape.ts'
import { createIdentities } from '../identity/create-identities.ts'
import type { SetupCheck, SetupReport } from '../tool-context.ts'
import { policyPath, checkHost, type HostFacts } from './check-host.ts'
import { failed, passed, setCommand } from './check-settings.ts'
import { reportSetup, version } from './status.ts'

/**
 * The checks of `check_setup_health` for an operator, without a server and beside one: settings that no server would start with are checks that
 * failed, the provider of a managed wallet is asked for its address, and the port is tried. Changes nothing.
 */
export async function diagnoseSetup(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly place: string; readonly host?: HostFacts; readonly now?: () => number },
): Promise<Diagnosis> {
  const { place } = options
  const dataDir = resolve(environment['SVC_DATA_DIR'] || '.svc')
  const read = readSettings(environment)
  const given = (setting: string) => (environment[setting] ? 'environment' : 'file')
  if ('problems' in read) {
    const host = await checkHost(dataDir, place, options.host)
    const broken = checkProblems(read.problems, { place, given })
    const ids = new Set(broken.map(({ id }) => id))
    return { profile: null, version, checks: [...host.filter(({ id }) => !ids.has(id)), ...broken] }
  }
  const { config } = read
  const { address, problems } = await addressOf(config)
  const ports = await openPorts(config, address)
  const { checks, ...facts } = await reportSetup({ config, ports, ...options })
  const broken = checkProblems(problems, { place, given })
  const ids = new Set(broken.map(({ id }) => id))
  return {
    ...facts,
    checks: [...checks.filter(({ id }) => !ids.has(id)), ...broken, await checkPort(config, place)],
  }
}

/** As `check_setup_health` answers, before it leaves out what passes. The profile is `null` where the settings name none that holds. */
export type Diagnosis = Omit<SetupReport, 'profile'> & { readonly profile: SetupReport['profile'] | null }

function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly config: Config } | { readonly problems: readonly ConfigProblem[] } {
  try {
    return { config: readConfig(environment) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { problems: error.problems as readonly ConfigProblem[] }
  }
}

type Found = { readonly address: Address | null; readonly problems: readonly ConfigProblem[] }

/** Of the wallet that a server on these settings signs with. */
async function addressOf({ wallet, profile }: Config): Promise<Found> {
  if (wallet === null || profile === 'data') return { address: null, problems: [] }
  // A server that only reads has no code that signs.
  const { openWallet } = await import('../open-wallet.ts')
  try {
    return { address: await (await openWallet(wallet)).getAddress(), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { address: null, problems: error.problems as readonly ConfigProblem[] }
  }
}

async function openPorts(config: Config, agentAddress: Address | null) {
  const { parsePolicy } = await import('@svc/engine/policy')
  const policy = await loadPolicy(policyPath(config), config).catch(() => parsePolicy({}, config))
  const { chains, rpc } = openReads(chainAccess(config), { memory: null, policy: () => policy })
  return {
    chains,
    rpc,
    agentAddress,
    // No check asks an address that a stranger wrote.
    identities: createIdentities({ rpc, chains: config.chains, upstream: config.upstream, isLive: async () => null }),
  }
}

/** Whether the HTTP transport could listen; a server of ours that does already is as good. */
async function checkPort({ listen: { host, port }, tls }: Config, place: string): Promise<SetupCheck> {
  const id = 'port'
  const code = await refusalToListen(host, port)
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === null) return passed(id, port === 0 ? 'Any free port is taken.' : `${where} is free.`)
  const fix = `Name another place. Run: ${setCommand('SVC_LISTEN', '127.0.0.1:3001', place)}`
  if (code !== 'EADDRINUSE') return failed(id, `Nothing can listen on ${where} (${code}).`, fix)
  const answers = await fetch(`http${tls === null ? '' : 's'}://${where}/healthz`, {
    signal: AbortSignal.timeout(2_000),
  })
    .then((answer) => answer.text())
    .catch(() => '')
  if (answers === '{"status":"ok"}') return passed(id, `A server listens on ${where}.`)
  return failed(id, `Another program listens on ${where} (SVC_LISTEN).`, fix)
}

function refusalToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'unknown'))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/** Settings that no server starts with, as checks that failed: each with the id of what it is about, and the command that fixes it. */
function checkProblems(problems: readonly ConfigProblem[], asked: Asked): readonly SetupCheck[] {
  return problems.map((problem) => {
    const { setting, message, fix } = problem
    const command = fix.includes('Run: ') ? '' : ` Run: ${commandFor(problem, asked)}`
    return failed(checkOf(problem), `${setting}: ${message}`, `${fix}${command}`)
  })
}

type Asked = {
  /** What commands call the data directory. */
  readonly place: string
  /** Where a setting stands. */
  readonly given: (setting: string) => 'environment' | 'file'
}

/** Which check a problem of the settings belongs to. */
function checkOf({ code, setting }: ConfigProblem): string {
  return byCode[code] ?? bySetting.find(([pattern]) => pattern.test(setting))?.[1] ?? 'config'
}

const byCode: Partial<Record<ConfigProblem['code'], string>> = {
  ENV_FILE_UNSAFE: 'env-file',
  ENV_FILE_INVALID: 'env-file',
  LOCAL_KEY_IN_PRODUCTION: 'production',
  PLAINTEXT_LISTEN: 'tls',
  AUTH_TOKEN_WEAK: 'api-keys',
  MANAGED_WALLET_UNAVAILABLE: 'wallet',
  POLICY_INVALID: 'policy',
  CHAINS_FILE_INVALID: 'chains-file',
}

const bySetting: readonly (readonly [RegExp, string])[] = [
  [/^SVC_API_KEY_/, 'api-keys'],
  [/^(WALLET_|PRIVATE_KEY$|SVC_WALLET_)/, 'wallet'],
  [/^(SVC_RPC_|SVC_PRIVATE_RPC_|RPC_API_KEY$)/, 'rpc'],
  [/^SVC_(TRADING|ORDER)_/, 'trading-api'],
  [/^(SVC_TLS_|NODE_TLS_)/, 'tls'],
  [/^SVC_LISTEN$/, 'port'],
  [/^SVC_ALLOWED_ORIGINS$/, 'origins'],
  [/^SVC_AGENT_/, 'agent'],
]

/** What fixes it: the wizard for a wallet, another value where it has one that is safe, and else the line goes. */
function commandFor(problem: ConfigProblem, { place, given }: Asked): string {
  const { code, setting } = problem
  const id = checkOf(problem)
  if (id === 'wallet' || id === 'production') return `svc setup production --data-dir ${place}`
  if (code === 'PLAINTEXT_LISTEN') return setCommand('SVC_LISTEN', '127.0.0.1:3000', place)
  if (code === 'AUTH_TOKEN_WEAK') return `echo "MCP_AUTH_TOKEN=$(openssl rand -base64 32)" >> ${place}/.env`
  if (code === 'SETTING_MISSING') return setCommand(setting, '...', place)
  if (code === 'ENV_FILE_UNSAFE') return `mv ${place}/.env ${place}/.env.old`
  if (code === 'ENV_FILE_INVALID') return `sed -n '/^[A-Z][A-Z0-9_]*=/!p' ${place}/.env, and correct these lines`
  if (setting.includes('/')) return `ls -l ${setting}`
  return given(setting) === 'environment' ? `unset ${setting}` : `sed -i '/^${setting}=/d' ${place}/.env`
}
