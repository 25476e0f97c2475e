import type { Principal, SafetyReport } from '@svc/engine'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import type { StatusReport } from '../tool.ts'
import { version } from '../version.ts'
import { checkDataDir } from './check-data-dir.ts'
import { checkPolicy } from './check-policy.ts'
import { checkRpc } from './check-rpc.ts'

/** What the running server says about itself. */
export function createStatus(options: {
  readonly config: Config
  readonly ports: Ports
  /** The write pipeline's report; `null` without a wallet. */
  readonly safety: ((principal: Principal) => Promise<SafetyReport>) | null
}): StatusReport {
  const { config, ports, safety } = options
  return Object.freeze({
    async setup() {
      const checks = [
        checkConfig(config),
        checkWallet(config, ports),
        await checkDataDir(config.dataDir, config.wallet !== null),
        await checkPolicy(config),
        ...(await checkRpc(config, ports)),
      ]
      return { profile: config.profile, version, checks }
    },
    async safety(principal) {
      return safety === null ? withoutWallet : safety(principal)
    },
  })
}

type Check = Awaited<ReturnType<StatusReport['setup']>>['checks'][number]

function checkConfig({ warnings }: Config): Check {
  if (warnings.length === 0) return { id: 'config', status: 'pass', message: 'The settings are in order.', fix: null }
  return { id: 'config', status: 'warn', message: warnings.join(' '), fix: 'Correct or remove the settings named.' }
}

function checkWallet({ wallet, profile }: Config, { agentAddress }: Ports): Check {
  if (wallet !== null && agentAddress !== null) {
    return { id: 'wallet', status: 'pass', message: `The ${wallet.type} wallet is ${agentAddress}.`, fix: null }
  }
  const fix = 'Set WALLET_TYPE and what it needs (PRIVATE_KEY for a local wallet in development), then restart.'
  if (profile === 'data') {
    return { id: 'wallet', status: 'pass', message: 'No wallet; the profile "data" only reads.', fix: null }
  }
  return { id: 'wallet', status: 'fail', message: 'No wallet, so nothing can be signed.', fix }
}

/** What a server without a wallet reports: nothing can be spent, so nothing is limited. */
const withoutWallet: SafetyReport = Object.freeze({
  walletConfigured: false,
  paused: false,
  pause: null,
  breakerOpen: false,
  breaker: { open: false, since: null, cause: null, stops: 'nothing' as const },
  allowlistMode: 'strict',
  unnamedSales: 'ask',
  approvalThresholdUsd: null,
  limitsUsd: null,
  spentUsd: null,
  gasUsd: null,
  valueUsd: null,
  remainingUsd: null,
  dailyAlert: false,
  pendingTransactions: 0,
  pendingApprovals: 0,
  scheduledOperations: 0,
})
