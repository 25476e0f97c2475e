import { loadPolicy, type Policy, type Principal, type SafetyReport } from '@svc/engine'
import type { SetupReport, StatusReport } from '../tool-context.ts'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import { checkAccess } from './check-access.ts'
import { checkAgent, checkAppId } from './check-agent.ts'
import { checkChains } from './check-chains.ts'
import { checkDataDir, checkOwnerKey, checkPolicy, policyPath, checkHost, type HostFacts } from './check-host.ts'
import { checkSettings } from './check-settings.ts'

/** What the running server says about itself. */
export function createStatus(
  options: SetupPlace & {
    /** The write pipeline's report; `null` without a wallet. */
    readonly safety: ((principal: Principal) => Promise<SafetyReport>) | null
    readonly alerts?: StatusReport['alerts']
  },
): StatusReport {
  const { safety, alerts } = options
  return Object.freeze({
    setup: () => reportSetup(options),
    async safety(principal) {
      return safety === null ? withoutWallet : safety(principal)
    },
    alerts,
  })
}

/** Every check of a set-up whose settings can be read: for `check_setup_health` of a running server, and for `svc doctor` beside it. */
export async function reportSetup(options: SetupPlace): Promise<SetupReport> {
  const { config, ports, place = 'D', now = Date.now } = options
  const policyNow = options.policyNow ?? (() => loadPolicy(policyPath(config), config))
  const checks = [
    ...(await checkHost(config.dataDir, place, options.host)),
    ...checkSettings(config, ports, place),
    ...checkAccess(config, place, now),
    await checkDataDir(config.dataDir, config.wallet !== null && config.profile !== 'data', place),
    ...(await checkOwnerKey(config.dataDir, place)),
    ...(await checkPolicy(config, ports, policyNow, place)),
    ...(await checkChains(config, ports, place, now)),
    ...(await checkAppId(config, place)),
    ...(await checkAgent(config, ports, options.servedAt?.() ?? null)),
  ]
  return { profile: config.profile, version, checks }
}

/** What the checks look at. */
export type SetupPlace = {
  readonly config: Config
  readonly ports: Pick<Ports, 'chains' | 'rpc' | 'identities' | 'agentAddress'>
  /** The policy as the running server has it now; that of its file unless given. Throws `ToolError`. */
  readonly policyNow?: (() => Promise<Policy>) | undefined
  /** Where clients reach `/mcp`; `null` where they do not. */
  readonly servedAt?: () => string | null
  /** What commands call the data directory: its path for an operator, and D, as in the documentation, for callers of a tool. */
  readonly place?: string
  readonly host?: HostFacts
  /** Unix milliseconds. */
  readonly now?: () => number
}

/** What a server without a wallet reports: it can spend nothing, so it limits nothing, and what one with a wallet has open it does not see. */
export const withoutWallet: SafetyReport = Object.freeze({
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

/** The version of this package; a test compares it with the manifest. */
export const version = '0.2.0'
