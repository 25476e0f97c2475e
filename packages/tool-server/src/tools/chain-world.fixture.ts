import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import { type Memory, openStore, type Store } from '@svc/store'
import { placeMigrated } from '../../../store/src/migrated-file.fixture.ts'
import { createSender, type OperationSponsors, openUserOperations, type Sender } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { zeroAddress, type Address, type Hash, type Hex, type PublicClient } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import type * as z from 'zod'
import { createChainDirectory } from '@svc/amm/chains'
import { erc20Abi } from '@svc/amm/abis'
import type { CheckOptions } from '../../../amm/src/history/periods/check-periods.ts'
import { createPoolHistory } from '@svc/amm/history'
import { createIdentities, type IdentitiesOptions } from '../identity/create-identities.ts'
import { createEndpointProbe } from '../reach/guarded-request.ts'
import { noServices } from '../identity/no-services.fixture.ts'
import { createLiquidity } from '@svc/amm/liquidity'
import { createPriceSource } from '@svc/amm/prices'
import { createChainReach } from '@svc/amm/reach'
import { createRewards, type RewardsOptions } from '@svc/amm/rewards'
import { createRpcPool } from '@svc/amm/rpc'
import { createSubgraphs } from '@svc/amm/subgraph'
import type { SubgraphsOptions } from '../../../amm/src/subgraph/create-subgraphs.ts'
import { createTokenDirectory } from '@svc/amm/tokens'
import { createCrossChain } from '@svc/amm/cross-chain'
import { createOrders } from '@svc/amm/orders'
import { createTwamm } from '@svc/amm/twamm'
import { createVaults } from '@svc/amm/vaults'
import { createWorkerPool, type WorkerPoolOptions } from '../workers/create-worker-pool.ts'
import {
  devnetPolicy,
  openTrading,
  type OperationsPipeline,
  type PolicySource,
  type Principal,
  scopes,
  type TradingOptions,
} from '@svc/engine'
import { createDecisionRecorder } from '../../../engine/src/switches/decision-recorder.ts'
import { createDoubt, hasSigned } from '../../../engine/src/operations/may-be-mined.ts'
import { createExecutor, type Executor } from '../../../engine/src/pipeline.ts'
import { privateRoute } from '../../../engine/src/transactions/private-route.ts'
import { guardedSigner } from '../../../engine/src/signatures/guarded-signer.ts'
import { createFormerWallets } from '../../../engine/src/recovery/reconcile.ts'
import { createOperationsPipeline } from '../../../engine/src/operations/operations-pipeline.ts'
import { earlierTransactions, sentTransactions } from '../../../engine/src/operations/sent-transactions.ts'
import { openAuditLog } from '../../../engine/src/audit/audit.ts'
import type { CallRequest } from '../dispatch/call-stages.ts'
import { createDispatch, type Dispatch } from '../dispatch/dispatch.ts'
import type { Profile } from '../dispatch/offered-tools.ts'
import type { Ports } from '../ports.ts'
import {
  type Patience,
  patientRpc,
  withPatience,
  withPatienceOf,
} from '../../../engine/src/fixtures/patience.fixture.ts'
import { parsePolicy } from '../../../engine/src/policy/policy.ts'
import { createConfirmedSources } from '../../../engine/src/policy/policy-price-sources.ts'
import type { policySchema } from '../../../engine/src/policy/policy-schema.ts'
import type { ErrorEnvelope } from '@svc/amm'
import { type Answer, answerOf } from './answer.fixture.ts'
import { catalogue } from './index.ts'

/**
 * The whole pipeline of a call on a local chain: real ports, policy, simulation, store, journal and a fresh wallet with 20 ETH,
 * 100,000 USDC, USDT and DAI, 20 WETH, 2 WBTC and some of the odd tokens. Tools are called by name, through dispatch.
 */
export async function openWorld(devnet: Devnet, options: WorldOptions = {}): Promise<World> {
  const clock = { offsetMs: options.again?.offsetMs ?? 0 }
  const openedAt = Date.now()
  const now = () => (options.isClockHeld === true ? openedAt : Date.now()) + clock.offsetMs
  const { dataDir = await mkdtemp(join(tmpdir(), 'tools-')), privateKey = generatePrivateKey() } = options.again ?? {}
  const { databaseUrl: url } = options
  const place = url === undefined ? { path: join(dataDir, 'state.db') } : { url, patienceMs: 120_000 }
  if ('path' in place) await placeMigrated(place.path)
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  if (options.again === undefined) await devnet.fund(wallet.address, { ...plenty, ...options.funds })
  const chain = { ...devnet.chain, ...options.chain }
  const beside = options.beside && { ...options.beside.chain, name: 'elsewhere', aliases: [] }
  const chains = createChainDirectory([chain, ...(beside === undefined ? [] : [beside])])
  const network = { requests: 0, fetch: globalThis.fetch }
  const rpc = createRpcPool({
    urls: ({ id }) => (id === beside?.id ? beside.publicRpcUrls : [devnet.rpcUrl, ...(options.moreUrls ?? [])]),
    privateUrls: () => options.privateUrls ?? [],
    now,
    ...patientRpc,
    ...(options.retryPauseMs !== undefined && { retryPauseMs: options.retryPauseMs }),
    fetch: (input, init) => {
      network.requests += 1
      return network.fetch(input, init)
    },
  })
  const { policies } = options
  const policy = policies?.started ?? parsePolicy(options.policy ?? ownPolicy(devnet), { production: false })
  const tokens = createTokenDirectory({
    chains: chains.list(),
    rpc,
    policyTokens: (id) => policy.allowlist.tokens[id] ?? [],
  })
  const { tradingApi = null } = options
  const trading = await openTrading({ tradingApi, policy: () => policy })
  const ownLiquidity = createLiquidity({ rpc, tokens })
  const liquidity = trading === null ? ownLiquidity : trading.routed(ownLiquidity, { rpc, tokens })
  const confirmed = createConfirmedSources(() => policy)
  const prices = createPriceSource({ rpc, tokens, liquidity, confirmed, pickInt: () => 0 })
  const upstream = { ...noServices, ...options.upstream }
  const isLive = createEndpointProbe({ now: () => performance.now() })
  const identities = createIdentities({ rpc, chains: chains.list(), upstream, isLive })
  const store = await openStore({ ...place, now })
  const subgraphs = createSubgraphs({ apiKey: null, pauseMs: 1, ...options.subgraphs })
  const checks = { pickInt: (below: number) => randomInt(below), withinMs: 60_000, ...options.checks }
  const history = createPoolHistory({ rpc, liquidity, prices }, { subgraphs, bars: store.bars, now, checks })
  const rewards = createRewards({ rpc, chains: chains.list(), url: 'http://127.0.0.1:9', trading, ...options.rewards })
  const workers = createWorkerPool({ threads: 1, deadlineMs: 60_000, ...options.workers })
  const twamm = createTwamm({ rpc, liquidity, named: (id) => policy.twammHooks[id] ?? [] })
  const orders = createOrders({ rpc, liquidity, client: trading?.client ?? null, chains: chains.list() })
  const pickNonce = () => BigInt(generatePrivateKey())
  const crossChain = createCrossChain({ rpc, prices, chains: chains.list(), pickNonce })
  const vaults = createVaults({ rpc, tokens, named: (id) => policy.vaults[id] ?? [] })
  const reach = createChainReach({ rpc, subgraphs }, { now, patienceMs: 60_000 })
  const reads = {
    chains,
    rpc,
    tokens,
    prices,
    liquidity,
    history,
    reach,
    rewards,
    twamm,
    orders,
    vaults,
    workers,
    identities,
  }
  const ports: Ports = { ...reads, crossChain, agentAddress: wallet.address }
  const audit = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now })
  const lines: string[] = []
  const note = (event: string, facts?: unknown) => void lines.push(`${event} ${JSON.stringify(facts, bigintText)}`)
  const log = {
    debug: () => {},
    info: () => {},
    warn: note,
    error: note,
    flush: () => {},
    writesDebug: false,
    writesInfo: false,
  }
  const patience = { isShort: false }
  const bare = createSender({
    wallet,
    client: rpc.client(chain),
    chain,
    journal: store.journal,
    privately: privateRoute(rpc, chain, () => policy),
  })
  const sender: Sender = withPatience(patience, bare)
  const senderBeside =
    beside && createSender({ wallet, client: rpc.client(beside), chain: beside, journal: store.journal })
  const operationsOf = withPatienceOf(
    patience,
    openUserOperations({ chain, client: rpc.client(chain), owner: wallet.address, sponsors: options.sponsors ?? null }),
  )
  const executor = createExecutor({
    policy,
    ...(policies === undefined ? {} : { policies }),
    chains,
    rpc,
    tokens,
    prices,
    audit,
    dataDir,
    now,
    log,
    senders: ({ id }) => (senderBeside !== undefined && id === beside?.id ? senderBeside : sender),
    signGranted: guardedSigner(wallet).signGranted,
    userOperations: () => operationsOf,
    operationSigner: () => guardedSigner(wallet, (id) => executor.policy().batchDelegate[id]),
    journal: store.journal,
    transactions: store.transactions,
    formerWallets: createFormerWallets({ ...store, rpc, wallet: wallet.address, policy: () => policy }),
    ledger: store.ledger,
    pendingRevocations: store.pendingRevocations,
    operations: store.operations,
    orders: store.orders,
    submitOrder: (order, signature) => orders.submit(order, signature),
    newRequestId: randomUUID,
  })
  const signed = (requestId: string) => hasSigned(store.transactions, requestId)
  const decisions = createDecisionRecorder({ ...store, audit, dataDir })
  const operations = createOperationsPipeline({
    ...store,
    audit,
    decisions,
    policy: () => executor.policy(),
    policyNow: () => executor.policyNow(),
    log,
    now,
    hasSigned: signed,
    viewOrder: (stored) => executor.orders.view(stored),
  })
  const dispatch = createDispatch({
    tools: catalogue,
    profile: options.profile ?? 'full',
    ports,
    status: {
      setup: () => Promise.reject(new Error('not part of this world')),
      safety: (principal) => executor.safetyReport(principal),
    },
    write: {
      openExecute: executor.open,
      wallet: { address: wallet.address, type: 'local' },
      atomicRoute: executor.atomicRoute,
      defaults: { slippageBps: 50, deadlineSeconds: 600 },
      idempotency: store.idempotency,
      operations,
      hasSigned: signed,
      doubt: createDoubt(store.transactions, () => executor.reconcile()),
      sentBy: (requestId) =>
        sentTransactions({ ...ports, transactions: store.transactions, signedOrders: store.orders }, requestId),
      earlier: (requestId, on) =>
        earlierTransactions({ ...store, rpc, lookAgain: () => executor.reconcile() }, requestId, on),
      requestOf: async (txHash) => (await store.transactions.byHash(txHash as Hash))?.requestId ?? null,
      memory: options.memory ?? store.memory,
      watches: store.watches,
      during: (work) => work(),
    },
    isInForce: (principal) => options.isInForce?.(principal) ?? true,
    log,
    now,
    newRequestId: randomUUID,
    figuresWithinMs: options.figuresWithinMs ?? 60_000,
    ...(rpc.atOneBlock !== undefined && { atOneBlock: rpc.atOneBlock }),
  })
  const client: PublicClient = rpc.client(chain)
  const address = (symbol: string): Address =>
    symbol === 'ETH' ? zeroAddress : devnet.tokens.find((token) => token.symbol === symbol)!.address
  async function travel(name: string, args: Readonly<Record<string, unknown>>, asked: Asked = {}) {
    const takesChain = catalogue.some((tool) => tool.name === name && 'chain' in tool.input.shape)
    return dispatch.call({
      name,
      arguments: { ...(takesChain ? { chain: 'local' } : {}), ...args },
      principal: options.principal ?? owner,
      signal: new AbortController().signal,
      ...asked,
    })
  }
  return {
    devnet,
    chain,
    clock,
    isoAgo: (seconds) => new Date(now() - seconds * 1000).toISOString(),
    wallet: wallet.address,
    ports,
    client,
    network,
    patience,
    dispatch,
    store,
    operations,
    executor,
    again: { dataDir, privateKey },
    log: lines,
    address,
    async call(name, args = {}, asked = {}) {
      const result = await travel(name, args, asked)
      if (result.structuredContent !== undefined) return answerOf(result.structuredContent)
      throw new Error(`${name}: ${JSON.stringify(result._meta?.['svc/error'])} ${lines.join('\n')}`)
    },
    async refuse(name, args = {}, asked = {}) {
      const envelope = (await travel(name, args, asked))._meta?.['svc/error']
      if (envelope === undefined) throw new Error(`${name} took what it should refuse`)
      return envelope
    },
    async audited(event) {
      const lines = (await readFile(join(dataDir, 'audit.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as { readonly event: string }).filter((line) => line.event === event)
    },
    balance(symbolOrAddress, of = wallet.address) {
      if (symbolOrAddress === 'ETH') return client.getBalance({ address: of })
      const token = symbolOrAddress.startsWith('0x') ? (symbolOrAddress as Address) : address(symbolOrAddress)
      return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [of] })
    },
    async gasPaid(answer) {
      const hashes = answer.at('transactions') as Hash[]
      const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
      return receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
    },
    async close() {
      await workers.close()
      await audit.close()
      await store.close()
    },
  }
}

/** Calls a tool that asks for a person, who says yes, and gives what carrying it out answers. */
export async function callApproved(
  world: World,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const { code, details } = await world.refuse(name, args)
  const planId = String(details[0]?.['operationId'])
  const operation = await world.store.operations.byId(planId)
  if (operation === null) throw new Error(`${name} was refused with ${code}, and nothing waits for a person`)
  await world.store.operations.decide(planId, {
    approved: true,
    by: 'operator:cli',
    planHash: operation.planHash,
  })
  return world.call('execute_plan', { planId })
}

export type World = {
  readonly devnet: Devnet
  readonly chain: Devnet['chain']
  /** Moves the server's clock against the machine's. */
  readonly clock: { offsetMs: number }
  /** A time of the server's clock, as ISO 8601. */
  isoAgo(seconds: number): string
  readonly wallet: Address
  readonly ports: Ports
  readonly client: PublicClient
  /** HTTP requests to the endpoint so far, and how they are made. */
  readonly network: { requests: number; fetch: typeof fetch }
  /** How long a write waits for its block. */
  readonly patience: Patience
  readonly dispatch: Dispatch
  readonly store: Store
  readonly operations: OperationsPipeline
  readonly executor: Executor
  /** What opens the same wallet on the same state again, as after a restart. */
  readonly again: { readonly dataDir: string; readonly privateKey: Hex }
  /** Warnings and errors so far. */
  readonly log: readonly string[]
  /** Address of a token by the symbol of the local chain. */
  address(symbol: string): Address
  /** Calls a tool on the local chain and gives its result; throws what it was refused with. */
  call(name: string, args?: Readonly<Record<string, unknown>>, asked?: Asked): Promise<Answer>
  /** Calls a tool that must refuse and gives the envelope. */
  refuse(name: string, args?: Readonly<Record<string, unknown>>, asked?: Asked): Promise<ErrorEnvelope>
  /** The lines of an event in the audit log, in order. */
  audited(event: string): Promise<readonly object[]>
  balance(symbolOrAddress: string, of?: Address): Promise<bigint>
  /** What the transactions of a result cost the wallet in gas, in wei. */
  gasPaid(answer: Answer): Promise<bigint>
  close(): Promise<void>
}

export type WorldOptions = {
  /** Another local chain that the server reads, too; its name is `elsewhere`. */
  readonly beside?: Devnet
  readonly policy?: z.input<typeof policySchema>
  /** Who takes user operations, and who pays for them; nobody unless given. */
  readonly sponsors?: OperationSponsors
  /** A policy that may change, in place of `policy`. */
  readonly policies?: PolicySource
  /** Services that publish and give agent cards; none unless given. */
  readonly upstream?: Partial<IdentitiesOptions['upstream']>
  readonly subgraphs?: Partial<SubgraphsOptions>
  /** Who else builds transactions; nobody unless given. */
  readonly tradingApi?: TradingOptions['tradingApi']
  /** The service that gives proofs of rewards; none answers unless given. */
  readonly rewards?: Partial<Pick<RewardsOptions, 'url' | 'timeoutMs'>>
  /** How subgraphs are held against the chain: at random, within a minute unless given. */
  readonly checks?: Partial<CheckOptions>
  /** One thread and a minute unless given. */
  readonly workers?: Partial<WorkerPoolOptions>
  readonly funds?: Parameters<Devnet['fund']>[1]
  readonly principal?: Principal
  readonly chain?: Partial<Devnet['chain']>
  /** Endpoints beside that of the local chain. */
  readonly moreUrls?: readonly string[]
  /** Where trades go; to the others without one. */
  readonly privateUrls?: readonly string[]
  /** Between two rounds of questions to an endpoint; a quarter of a second unless given. */
  readonly retryPauseMs?: number
  /** How long answers wait for the figures beside what they are for; a minute unless given. */
  readonly figuresWithinMs?: number
  /** Whether the credentials of who asked are still taken; they are unless given. */
  readonly isInForce?: (principal: Principal) => boolean
  /** Of the PostgreSQL that takes the place of the state file. */
  readonly databaseUrl?: string | undefined
  /** `full` unless given. */
  readonly profile?: Profile
  /** What is remembered, in place of the store's. */
  readonly memory?: Memory
  /** Stops the server's clock, so that no hour begins between two answers that are held against each other. */
  readonly isClockHeld?: boolean
  /** State and wallet of an earlier world. */
  readonly again?: { readonly dataDir: string; readonly privateKey: Hex; readonly offsetMs?: number }
}

/** What a call may carry beside name and arguments. */
export type Asked = Partial<Pick<CallRequest, 'principal' | 'signal' | 'onProgress' | 'confirm' | 'answer'>>

/** A principal that may do everything. */
export const owner: Principal = {
  id: 'api-key:0000000000000e12',
  stage: 'local',
  tier: 'write',
  scopes: new Set(scopes),
  expiresAt: null,
}

const plenty = {
  ETH: '20',
  WETH: '20',
  USDC: '100000',
  USDT: '100000',
  DAI: '100000',
  WBTC: '2',
  FOT: '1000',
  HOSTILE: '1000',
}

/** The policy that the local world writes. */
export function ownPolicy({ chainId, twamm, vaults, batchDelegate }: Devnet): ReturnType<typeof devnetPolicy> {
  return devnetPolicy({
    twammHooks: { [chainId]: [{ hook: twamm.hook, pools: [twamm.pool.id] }] },
    vaults: { [chainId]: vaults.map(({ address }) => address) },
    batchDelegate: { [chainId]: batchDelegate },
  })
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
