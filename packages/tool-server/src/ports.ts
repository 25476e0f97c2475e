import type { MarketPorts, ChainAnswer } from '@svc/amm'
import type { Address, Log } from 'viem'
import type { AgentIdentity, AgentRole, Chain, FoundAgents, IpfsMode, Grant, RegistrationPlan } from '@svc/wallet/core'
import type {
  BacktestOptions,
  BacktestResult,
  BacktestStrategy,
  Bars,
  RangeEstimates,
  SimulationOptions,
} from '@svc/lp-math'
import type { RangeChoice, RangeWanted } from './analysis/range/pick-range.ts'
import type { FeeTier, TierMarket, TierScore } from './analysis/fees/score-fee-tier.ts'
import type { ChartRequest } from './charts/chart-spec.ts'

/** What handlers read the world through. Tests use the real ones on the local chain. */
export type Ports = MarketPorts & {
  readonly workers: Workers
  readonly identities: Identities
  /** The agent's own address, or `null` without a wallet. */
  readonly agentAddress: Address | null
}

/**
 * The registries that agents are registered in (ERC-8004). Each throws `VALIDATION_CHAIN_NOT_SUPPORTED` for a chain
 * without a registry that this server may call, before anything is read, and `RPC_*` or `REGISTRY_NOT_DEPLOYED`.
 */
export type Identities = {
  /** Throws `VALIDATION_CHAIN_NOT_SUPPORTED` where the chain has no registry that this server calls. Asks nobody. */
  requireRegistry(chain: Chain): void
  /** Throws `AGENT_NOT_FOUND`. Text in it was written by strangers and is not made safe yet. As of a block where one is named, as is `find`. */
  get(chain: Chain, tokenId: string, signal: AbortSignal, blockNumber?: bigint): Promise<AgentIdentity>
  find(chain: Chain, owner: Address, blockNumber?: bigint): Promise<FoundAgents>
  /** How many agents the registry counts for an owner, as the intent of a registration may rest on it. */
  count(chain: Chain, owner: Address): Promise<ChainAnswer>
  /**
   * The card, its place and the call that registers it. Throws `VALIDATION_FAILED` naming the fields, or
   * `VALIDATION_PINNING_JWT_MISSING`.
   */
  plan(chain: Chain, request: RegistrationRequest, signal: AbortSignal): Promise<RegistrationPlan>
  /** Whether an address on a card answers; `null` where it is none that a server should ask, or was asked often enough. Reads nothing of it. */
  isLive(url: string, signal: AbortSignal): Promise<boolean | null>
  /** Asks the faucet of the support API for gas, where the chain has one and the owner holds nothing, and waits for it, at most a minute. */
  grant(chain: Chain, owner: Address, signal: AbortSignal): Promise<Grant>
  /** The id that the logs of the planned call show. Throws where they show none, or several. */
  registeredIn(logs: readonly Log[], plan: RegistrationPlan): { readonly agentId: string; readonly tokenId: string }
}

export type RegistrationRequest = {
  readonly owner: Address
  /** The operator's own, `SVC_AGENT_NAME`, where it is missing. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly role: AgentRole
  readonly mcpEndpoint?: string | undefined
  readonly a2aEndpoint?: string | undefined
  /** The operator's own, `SVC_IPFS_MODE`, where it is missing. */
  readonly ipfsMode?: IpfsMode | undefined
  /** `false` reckons where a file would stand and pins nothing. */
  readonly pin: boolean
}

export type { AgentIdentity, Grant, RegistrationPlan } from '@svc/wallet/core'

/** Threads for work that takes long, so that no other call of the server waits for it. */
export type Workers = {
  /**
   * Throws `SIMULATION_TIMEOUT` when the time limit passes, waiting included; `SERVER_BUSY` when too much waits already, most of it
   * for the same principal, or the server closes; `CANCELLED` when the caller leaves; `LpMathError` as the work itself does.
   */
  run<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input'], caller: WorkCaller): Promise<Work[Kind]['output']>
}

/** What the threads can be asked for: plain data in, plain data out. */
export type Work = {
  /** How many paths were simulated, and the estimates of each range, in the order of the bounds. */
  readonly simulate: { readonly input: SimulationOptions; readonly output: SimulationRun }
  readonly chooseRange: { readonly input: RangeWanted; readonly output: RangeChoice }
  readonly replay: { readonly input: Replay; readonly output: Replayed }
  readonly scoreFeeTier: { readonly input: TierScoring; readonly output: TierScore }
  /** An SVG as text, or the bytes of a PNG. */
  readonly draw: { readonly input: ChartRequest; readonly output: string | Uint8Array }
}

export type WorkKind = keyof Work

export type WorkCaller = {
  /** Absent where the work goes on whoever leaves. */
  readonly signal?: AbortSignal | undefined
  /** For whom the work is: those who wait take turns, and who has most waiting is refused first. */
  readonly principalId?: string | undefined
  /** How much of how much is done (paths, strategies); heard now and then, and never after the end. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export type SimulationRun = { readonly paths: number; readonly estimates: readonly RangeEstimates[] }

/** At least one strategy. */
export type Replay = {
  readonly bars: Bars
  readonly strategies: readonly BacktestStrategy[]
  readonly options: BacktestOptions
}

/** With the strategies that lead when all are entered some days later. */
export type Replayed = BacktestResult & { readonly laterWinners: readonly string[] }

export type TierScoring = { readonly tier: FeeTier; readonly market: TierMarket }
