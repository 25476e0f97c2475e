import type { ConfigProblem } from '../config/config-shape.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, setCommand } from './setup-check.ts'

/** Settings that no server starts with, as checks that failed: each with the id of what it is about, and the command that fixes it. */
export function checkProblems(problems: readonly ConfigProblem[], asked: Asked): readonly SetupCheck[] {
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
