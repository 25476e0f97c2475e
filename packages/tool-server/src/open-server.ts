import { chainAccess, orderApi, tradingApi } from './config.ts'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { createBarMemory, createPoolHistory } from '@svc/amm/history'
import { createIdentities } from './identity/create-identities.ts'
import { createPriceMemory, type SightingStore } from '@svc/amm/prices'
import { createRewards } from '@svc/amm/rewards'
import { createSubgraphs } from '@svc/amm/subgraph'
import { createWorkerPool } from './workers/create-worker-pool.ts'
import { workerProgram } from './workers/worker-program.ts'
import { type Config, ConfigError } from './config/config-shape.ts'
import type { Log } from '@svc/runtime'
import { openLog } from './config/secrets.ts'
import {
  openOrderClient,
  openPolicySource,
  openReads,
  openTrading,
  type MostLost,
  mostLost,
  policyFaults,
  type PolicySource,
  reportPolicy,
  type Policy,
} from '@svc/engine'
import type { Pause } from '@svc/engine/switches'
import { createServer, type ToolServer } from './server.ts'
import type { Tool } from './tool.ts'
import { ToolError } from '@svc/amm'
import { catalogue } from './tools/index.ts'
import { createTraffic } from './traffic.ts'
import type { Address } from 'viem'

/**
 * The server as the configuration describes it, over real endpoints. With a wallet it becomes the one server of its data
 * directory and settles what an earlier process left open; in the `data` profile it loads neither store nor signer.
 * Throws `ConfigError`, `ToolError` or `StoreError` naming the fix.
 */
export async function openServer(config: Config, { tools = catalogue }: ServerOptions = {}): Promise<OpenedServer> {
  const log = openLog(config)
  const policies = await openPolicy(config, log)
  const policy = policies.started
  const seen: { store: SightingStore | null } = { store: null }
  const onError = (error: unknown) => log.warn('prices.not-remembered', { error })
  const memory = createPriceMemory({ store: () => seen.store, now: Date.now, onError })
  const trading = openTrading({ tradingApi: tradingApi(config), policy: () => policies.latest() })
  const orderClient = openOrderClient(orderApi(config), trading)
  const reads = openReads(chainAccess(config), { memory, policy: () => policies.latest(), trading, orderClient })
  const { rpc } = reads
  const identities = createIdentities({ rpc, chains: config.chains, upstream: config.upstream })
  const rewards = createRewards({ rpc, chains: config.chains, url: config.upstream.rewardsUrl, trading })
  const ports = { ...reads, identities, rewards }
  const write = await openWrite()
  seen.store = write?.sightings ?? null
  const subgraphs = createSubgraphs({ apiKey: config.upstream.subgraphApiKey })
  const bars = write?.bars ?? createBarMemory()
  const checks = { pickInt: (below: number) => randomInt(below) }
  const history = createPoolHistory(ports, { subgraphs, bars, now: Date.now, checks })
  const program = workerProgram()
  const traffic = createTraffic()
  const workers = createWorkerPool({ program: () => program, traffic })
  const server = createServer(config, {
    tools,
    traffic,
    ports: { ...ports, history, workers, agentAddress: write?.wallet.address ?? null },
    write,
    policyNow: () => policies.current(),
    ...(ports.rpc.atOneBlock !== undefined && { atOneBlock: ports.rpc.atOneBlock }),
    limits: {
      perAddressPerMinute: policy.rateLimits.unauthenticatedPerIp,
      perPrincipalPerMinute: policy.rateLimits.perToken,
    },
  })
  const policyFile = policies.startedFromFile ? policyPath(config) : null
  const pause = write === null ? null : await pauseOf(config.dataDir)
  const facts = startFacts({ config, wallet: write?.wallet.address ?? null, policyFile, policy, pause })
  const sayOpened = () => log.info('server.opened', facts)
  return Object.freeze({
    ...server,
    facts,
    async listen() {
      const place = await server.listen()
      sayOpened()
      return place
    },
    async serveStdio(...streams: Parameters<ToolServer['serveStdio']>) {
      sayOpened()
      await server.serveStdio(...streams)
    },
    async close() {
      await server.close()
      await workers.close()
    },
  })

  async function openWrite() {
    if (config.wallet === null || config.profile === 'data') return null
    const { openWritePipeline } = await import('./open-write-pipeline.ts')
    return openWritePipeline({ config, wallet: config.wallet, ports, policy, policies, log })
  }
}

async function pauseOf(dataDir: string): Promise<Pause | null> {
  const { readPause } = await import('@svc/engine/switches')
  return readPause(dataDir)
}

/** Throws `ConfigError` naming every wrong member of the policy file. */
async function openPolicy(config: Config, log: Log): Promise<PolicySource> {
  const file = policyPath(config)
  const source = await openPolicySource(file, config).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    const { problems, fix } = policyFaults(error, file)
    const message =
      problems.length === 1 ? `${problems[0]}.` : ['', ...problems, ''].join('\n  ').trimEnd().concat('\n ')
    throw new ConfigError([{ code: 'POLICY_INVALID', setting: file, message, fix }])
  })
  return reportPolicy(source, { file, log })
}

function policyPath({ dataDir }: Config): string {
  return join(dataDir, 'policy.json')
}

export type OpenedServer = ToolServer & { readonly facts: StartFacts }

export type ServerOptions = {
  /** What the server offers; its own catalogue unless given. Whatever stands here, a write passes the same pipeline. */
  readonly tools?: readonly Tool[]
}

/** What a server is at its start, for whoever looks whether it is the one they meant. No secrets. */
export function startFacts({ config, wallet, policyFile, policy, pause }: Started): StartFacts {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return Object.freeze({
    mode: config.production ? 'production' : 'development',
    wallet: wallet ?? 'none',
    policy: policyFile ?? 'defaults',
    limitsUsd: { perTransaction, perSession, daily, approvalAbove: policy.approvalThresholdUsd },
    mostLostUsd: mostLost(policy),
    allowlist: policy.allowlist.mode,
    pause,
  })
}

export type StartFacts = {
  /** `development` is whatever is not production. */
  readonly mode: 'production' | 'development'
  /** The address that signs, or `none`. */
  readonly wallet: Address | 'none'
  /** The file, or `defaults`. */
  readonly policy: string
  readonly limitsUsd: {
    readonly perTransaction: string
    readonly perSession: string
    readonly daily: string
    /** `null` where nobody is asked. */
    readonly approvalAbove: string | null
  }
  /** What any 24 hours cost at most by what is signed. */
  readonly mostLostUsd: MostLost
  readonly allowlist: Policy['allowlist']['mode']
  /** What stops signing at the start; `null` where nothing does, or nothing is signed anyway. */
  readonly pause: Pause | null
}

type Started = {
  readonly config: Pick<Config, 'production'>
  /** `null` for a server that signs nothing. */
  readonly wallet: Address | null
  /** `null` where the defaults hold. */
  readonly policyFile: string | null
  readonly policy: Policy
  readonly pause: Pause | null
}
