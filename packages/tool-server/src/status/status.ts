import { access, constants, stat } from 'node:fs/promises'
import { loadPolicy, type Policy, type Principal, readOwedAllowances, type SafetyReport } from '@svc/engine'
import type { SetupCheck, StatusReport } from '../tool-context.ts'
import { join } from 'node:path'
import type { Config } from '../config/config-shape.ts'
import { ToolError } from '@svc/amm'
import type { Ports } from '../ports.ts'
import { checkAgent } from './check-agent.ts'
import type { Chain } from '@svc/wallet/core'

/** What the running server says about itself. */
export function createStatus(options: {
  readonly config: Config
  readonly ports: Ports
  /** The write pipeline's report; `null` without a wallet. */
  readonly safety: ((principal: Principal) => Promise<SafetyReport>) | null
  /** The policy as the running server has it now; that of its file unless given. Throws `ToolError`. */
  readonly policyNow?: (() => Promise<Policy>) | undefined
  /** Where clients reach `/mcp`; `null` where they do not. */
  readonly servedAt?: () => string | null
}): StatusReport {
  const { config, ports, safety } = options
  const policyNow = options.policyNow ?? (() => loadPolicy(policyPath(config), config))
  return Object.freeze({
    async setup() {
      const checks = [
        checkConfig(config),
        checkWallet(config, ports),
        ...checkTradingKey(config),
        await checkDataDir(config.dataDir, config.wallet !== null),
        await checkPolicy(config, policyNow),
        ...(await checkRpc(config, ports)),
        ...(await checkAgent(config, ports, options.servedAt?.() ?? null)),
      ]
      return { profile: config.profile, version, checks }
    },
    async safety(principal) {
      return safety === null ? withoutWallet : safety(principal)
    },
  })
}

function checkConfig({ warnings }: Config): SetupCheck {
  if (warnings.length === 0) return { id: 'config', status: 'pass', message: 'The settings are in order.', fix: null }
  return { id: 'config', status: 'warn', message: warnings.join(' '), fix: 'Correct or remove the settings named.' }
}

function checkWallet({ wallet, profile }: Config, { agentAddress }: Ports): SetupCheck {
  if (wallet !== null && agentAddress !== null) {
    return { id: 'wallet', status: 'pass', message: `The ${wallet.type} wallet is ${agentAddress}.`, fix: null }
  }
  const fix = 'Set WALLET_TYPE and what it needs (PRIVATE_KEY for a local wallet in development), then restart.'
  if (profile === 'data') {
    return { id: 'wallet', status: 'pass', message: 'No wallet; the profile "data" only reads.', fix: null }
  }
  return { id: 'wallet', status: 'fail', message: 'No wallet, so nothing can be signed.', fix }
}

/** Tools that a server without the key offers all the same, and that refuse: said before one is called. */
function checkTradingKey({ wallet, profile, upstream }: Config): readonly SetupCheck[] {
  if (wallet === null || profile === 'data') return []
  const id = 'trading-api'
  if (upstream.tradingApiKey !== null && upstream.tradingApiDialect === 'lp') {
    const message =
      'The dialect lp of the trading API has neither claims of rewards nor migrations: claim_lp_rewards and migrate_position refuse, and harvest_rewards leaves rewards out.'
    const fix =
      'Where these are wanted, set SVC_TRADING_API_DIALECT to v1 (in a local world svc up --trading-dialect v1), then restart.'
    return [{ id, status: 'warn', message, fix }]
  }
  if (upstream.tradingApiKey !== null)
    return [{ id, status: 'pass', message: 'There is a key for the trading API.', fix: null }]
  const refusing =
    upstream.orderApiKey === null
      ? 'claim_lp_rewards, migrate_position and submit_uniswapx_order refuse'
      : 'claim_lp_rewards and migrate_position refuse'
  const message = `Without a key for the trading API ${refusing}, and harvest_rewards leaves rewards out. All other tools work.`
  return [
    {
      id,
      status: 'warn',
      message,
      fix: 'Where these are wanted, set SVC_TRADING_API_KEY (in a local world svc up --trading-api), then restart.',
    },
  ]
}

/** What a server without a wallet reports: it can spend nothing, so it limits nothing, and what one with a wallet has open it does not see. */
const withoutWallet: SafetyReport = Object.freeze({
  walletConfigured: false,
  paused: false,
  pause: null,
  breakerOpen: false,
  breaker: { open: false, since: null, cause: null, stops: 'nothing' as const },
  policyFault: null,
  allowlistMode: 'strict',
  unnamedSales: 'ask',
  approvalThresholdUsd: null,
  limitsUsd: null,
  spentUsd: null,
  heldUsd: null,
  gasUsd: null,
  valueUsd: null,
  remainingUsd: null,
  freesAt: null,
  dailyAlert: false,
  pendingTransactions: null,
  unreadRequests: 0,
  pendingApprovals: null,
  scheduledOperations: null,
})

/** Whether the operator's policy can be read, and where it is laxer than the defaults of production. */
async function checkPolicy(config: Config, policyNow: () => Promise<Policy>): Promise<SetupCheck> {
  const id = 'policy'
  try {
    const policy = await policyNow()
    const exists = await stat(policyPath(config)).then(
      () => true,
      () => false,
    )
    if (config.production && policy.allowlist.mode === 'lenient') {
      const fix = 'Set allowlist.mode to "strict" in policy.json.'
      return { id, status: 'warn', message: 'The policy lets tokens through that nobody listed.', fix }
    }
    const message = exists ? 'policy.json is in order.' : 'There is no policy.json, so the defaults hold.'
    return { id, status: 'pass', message, fix: null }
  } catch (error) {
    const known = error instanceof ToolError
    const message = known ? error.message : 'policy.json cannot be read.'
    return { id, status: 'fail', message, fix: known ? error.suggestion : 'Give this user the file, mode 0600.' }
  }
}

function policyPath({ dataDir }: Config): string {
  return join(dataDir, 'policy.json')
}

/** Whether the data directory can be written and is closed to others. Without a wallet it need not exist. */
export async function checkDataDir(path: string, needed: boolean): Promise<SetupCheck> {
  const id = 'data-dir'
  const stats = await stat(path).catch(() => null)
  if (stats === null) {
    if (!needed)
      return { id, status: 'pass', message: 'There is no data directory, and none is needed yet.', fix: null }
    return {
      id,
      status: 'fail',
      message: 'The data directory does not exist.',
      fix: 'Create the directory SVC_DATA_DIR names.',
    }
  }
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!stats.isDirectory() || !writable) {
    return {
      id,
      status: 'fail',
      message: 'The data directory cannot be written.',
      fix: 'Give this user the directory.',
    }
  }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    return { id, status: 'warn', message: 'Others can look into the data directory.', fix: 'Run chmod 700 on it.' }
  }
  const isReadable = await readOwedAllowances(path).then(
    () => true,
    () => false,
  )
  if (!isReadable) {
    return {
      id,
      status: 'fail',
      message: 'owed-allowances.json makes no sense, and nothing is signed until it does.',
      fix: 'See which allowances of the wallet stand, take back what should not, then remove the file.',
    }
  }
  return { id, status: 'pass', message: 'The data directory is private and can be written.', fix: null }
}

/** The version of this package; a test compares it with the manifest. */
export const version = '0.2.0'

/**
 * Probes the chains the operator configured an endpoint for, or, when none is, the first of the table as a sign of life
 * (public endpoints of all chains would be a dozen strangers to ask).
 */
export async function checkRpc(config: Config, { chains, rpc }: Ports): Promise<readonly SetupCheck[]> {
  const configured = chains.list().filter((chain) => config.rpc.urls.has(chain.id))
  const chosen = configured.length > 0 ? configured : chains.list().slice(0, 1)
  return Promise.all(chosen.map(async (chain) => describe(chain, await rpc.probe(chain))))
}

function describe(chain: Chain, probe: Awaited<ReturnType<Ports['rpc']['probe']>>): SetupCheck {
  const id = `rpc-${chain.name}`
  if (probe.healthy) {
    const age = probe.headAgeSeconds === null ? '' : `, head ${Math.round(probe.headAgeSeconds)} s old`
    return {
      id,
      status: 'pass',
      message: `${chain.name} answers in ${Math.round(probe.latencyMs ?? 0)} ms${age}.`,
      fix: null,
    }
  }
  return {
    id,
    status: 'fail',
    message: `${chain.name}: ${probe.problem ?? 'The endpoint is not usable.'}`,
    fix: `Set SVC_RPC_URL_${chain.id} to an endpoint that answers.`,
  }
}
