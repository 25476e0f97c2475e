import type { Config, WalletConfig } from './config/config-shape.ts'
import type { Policy, PolicySource } from '@svc/engine'
import { openEngine } from '@svc/engine/open'
import { createRedactor, type Log } from '@svc/runtime'
import type { Store } from '@svc/store'
import { secretsOf } from './config/secrets.ts'
import { openState, requirePrivate } from './open-state.ts'
import { requireRestored } from './config/env-file.ts'
import { openWallet } from './open-wallet.ts'
import type { SignInEvent } from './auth/sign-in/sign-in.ts'
import type { Observer } from './observer.ts'
import type { Ports } from './ports.ts'
import type { Adapters } from './server.ts'

/**
 * Opens the engine over the wallet and the database that the settings name. Throws what `openEngine` throws, and `ConfigError`
 * when the database, or the provider of a managed wallet, cannot be reached.
 */
export async function openWritePipeline(options: {
  readonly config: Config
  readonly wallet: WalletConfig
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'reach' | 'workers'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  readonly log: Log
  readonly observer?: Observer | undefined
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}): Promise<
  NonNullable<Adapters['write']> &
    Pick<Store, 'bars' | 'sightings' | 'signIns' | 'rateLeases'> &
    AuditsSignIns &
    Pick<Awaited<ReturnType<typeof openEngine>>, 'operator' | 'role' | 'pause'>
> {
  const { config, wallet, ...rest } = options
  const { dataDir } = config
  const redactor = createRedactor(secretsOf(config))
  const engine = await openEngine({
    ...rest,
    dataDir,
    wallet: await openWallet(wallet),
    openStore: async () => {
      requireRestored(dataDir)
      requirePrivate(dataDir)
      return openState(config)
    },
    scrub: (value) => redactor.scrub(value),
    sponsorsOn: (chainId) => sponsorsOn(config, chainId),
  })
  return { ...engine, wallet: { ...engine.wallet, type: wallet.type } }
}

/** Neither takes an operation without the other. */
function sponsorsOn({ bundlerUrls, paymasterUrls }: Config, chainId: number) {
  const [bundler, paymaster] = [bundlerUrls.get(chainId), paymasterUrls.get(chainId)]
  if (bundler === undefined || paymaster === undefined) return null
  return { bundlerUrl: bundler.reveal(), paymasterUrl: paymaster.reveal() }
}

type AuditsSignIns = { auditSignIn(event: SignInEvent): Promise<void> }
