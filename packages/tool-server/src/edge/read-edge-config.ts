import { chains as publicChains } from '@svc/wallet/core'
import { assembleConfig, withoutBlanks } from '../config/assemble-config.ts'
import { mergeChains } from '../config/chains-file.ts'
import { type Config, ConfigError, type ConfigProblem } from '../config/config-shape.ts'
import { type SettingName, settings } from '../config/settings.ts'

/**
 * The configuration of a server at an edge. A setting of what an edge does not have is refused by its name, and not passed over. Throws a
 * `ConfigError` with every problem at once.
 *
 * @param env of the platform, whose settings are text and whose other bindings are none
 * @param chains what the file of `SVC_CHAINS_FILE` holds elsewhere
 */
export function readEdgeConfig(env: Readonly<Record<string, unknown>>, chains: unknown): Config {
  const given = withoutBlanks(
    Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
  )
  const problems = [...Object.keys(given).filter(isLeftOut).map(leftOut), ...whatIsNeeded(given)]
  if (problems.length > 0) throw new ConfigError(problems)
  const table = mergeChains(chains, publicChains)
  return assembleConfig({ given: { SVC_MCP_PROFILE: 'data', ...given }, written: {}, table, dataDir: '/' })
}

/** What is read here; every other setting is of a wallet, a store, a process or its own way in. */
const taken: ReadonlySet<SettingName> = new Set<SettingName>([
  'NODE_ENV',
  'LOG_LEVEL',
  'MCP_AUTH_TOKEN',
  'SVC_API_KEY_READ',
  'SVC_API_KEY_FEEDBACK',
  'SVC_API_KEY_WRITE',
  'SVC_MCP_PROFILE',
  'SVC_MCP_TOOLSETS',
  'SVC_PUBLIC_URL',
  'SVC_ALLOWED_HOSTS',
  'SVC_ALLOWED_ORIGINS',
  'SVC_RPC_PROVIDER',
  'SVC_RPC_URL_<chainId>',
  'RPC_API_KEY',
  'SVC_MCP_SUBGRAPH_API_KEY',
  'SVC_TRADING_API_KEY',
  'SVC_TRADING_API_URL',
  'SVC_TRADING_API_DIALECT',
  'SVC_ORDER_API_KEY',
  'SVC_ORDER_API_URL',
  'SVC_REWARDS_URL',
  'SVC_GATEWAY_URL',
  'SVC_AGENT_NAME',
  'SVC_AGENT_ID',
])

function isLeftOut(name: string): boolean {
  return settings.some((setting) => !taken.has(setting.name) && isNamed(name, setting.name))
}

function isNamed(name: string, setting: SettingName): boolean {
  const [prefix = '', rest] = setting.split('<chainId>')
  return rest === undefined ? name === setting : name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
}

function leftOut(setting: string): ConfigProblem {
  const message = 'It belongs to what a server at an edge does not have: a wallet, a store, a process of its own.'
  return {
    code: 'SETTING_INVALID',
    setting,
    message,
    fix: 'Remove it, or run the server on a machine (docs/production.md).',
  }
}

function whatIsNeeded(given: Readonly<Record<string, string>>): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const problem = (code: ConfigProblem['code'], setting: string, message: string, fix: string) =>
    void problems.push({ code, setting, message, fix })
  if ((given['SVC_MCP_PROFILE'] ?? 'data') !== 'data')
    problem('SETTING_INVALID', 'SVC_MCP_PROFILE', 'An edge serves the profile data alone.', 'Set it to data.')
  if (given['SVC_PUBLIC_URL'] === undefined) {
    const fix = 'Set it to where clients reach the edge, such as https://mcp.example.com/mcp.'
    problem('SETTING_MISSING', 'SVC_PUBLIC_URL', 'Requests for other hosts are refused.', fix)
  }
  if (credentials.every((name) => given[name] === undefined)) {
    const fix = 'Set it to the key that svc keys show read prints; an edge makes none.'
    problem('SETTING_MISSING', 'SVC_API_KEY_READ', 'Nobody could call.', fix)
  }
  return problems
}

const credentials = ['SVC_API_KEY_READ', 'SVC_API_KEY_FEEDBACK', 'SVC_API_KEY_WRITE', 'MCP_AUTH_TOKEN'] as const
