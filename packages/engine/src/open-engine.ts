import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { MarketPorts, Orders } from '@svc/amm'
import { acquireServerLock, type Store } from '@svc/store'
import { type Chain, createSender, type OperationSponsors, openUserOperations } from '@svc/wallet/core'
import type { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Hash } from 'viem'
import { importOwedAllowances } from './recovery/owed-allowances-file.ts'
import { type AuditEvent, type AuditLog, openAuditLog } from './audit/audit.ts'
import { observedAudit } from './audit/observed-audit.ts'
import type { EngineObserver } from './context/engine-observer.ts'
import { createCallOutcomes, createRefusedCallers } from './audit/call-outcomes.ts'
import { createDecisionRecorder } from './audit/decision-recorder.ts'
import { readLatestAudit } from './audit/read-latest-audit.ts'
import type { OperationSigner } from './context/pipeline-ports.ts'
import type { PipelineLog } from './call/storage.ts'
import { earlierTransactions } from './operations/earlier-transactions.ts'
import { createDoubt, hasSigned } from './operations/may-be-mined.ts'
import { createOperationsPipeline } from './operations/operations-pipeline.ts'
import { sentTransactions } from './operations/sent-transactions.ts'
import { backgroundWorks, settleEarlier, startBackground } from './background-works.ts'
import { createExecutor } from './pipeline.ts'
import type { Policy } from './policy/policy.ts'
import type { PolicySource } from './policy/policy-source.ts'
import type { Principal } from './call/principal.ts'
import { createFormerWallets } from './recovery/former-wallets.ts'
import { privateRoute } from './transactions/private-route.ts'
import { guardedSigner } from './signatures/guarded-signer.ts'
import { createShutdownGate } from './switches/shutdown-gate.ts'
import { pause } from './switches/kill-switch.ts'
import { createLeaseKeeper } from './switches/lease-keeper.ts'
import type { Call } from './call/call.ts'

/**
 * Opens everything a write needs: the lock of the data directory, the store, the audit log and the pipeline. What an earlier
 * process left open is settled before this resolves. Throws `StoreError` `DATA_DIR_LOCKED` when another server holds the
 * directory, `LEASE_HELD` when one runs on the same database, and whatever `openStore` throws; on any failure what was
 * opened is closed again. Closing first stops writes: none begins and none signs again, those on their way are waited for,
 * and what is cut off after that the next start settles.
 */
export async function openEngine(options: EngineOptions) {
  const closers: Closers = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    return await openOver(options, await openRecords(options, closers), { closers, close })
  } catch (error) {
    await close()
    throw error
  }
}

export type EngineOptions = {
  /** Absolute path. */
  readonly dataDir: string
  readonly wallet: ServiceWallet
  /** Called once the directory is this process's own. */
  readonly openStore: () => Promise<Store>
  /** Takes the process's secrets out of what is audited. */
  readonly scrub: (value: unknown) => unknown
  readonly ports: Pick<MarketPorts, 'chains' | 'rpc' | 'tokens' | 'prices' | 'liquidity' | 'orders'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  readonly log: PipelineLog
  /** Who hears of audit lines and stages; nobody unless given. */
  readonly observer?: EngineObserver | undefined
  /** Who takes user operations of the wallet on a chain, and who pays for them; `null` where either is not configured. */
  readonly sponsorsOn?: (chainId: number) => OperationSponsors | null
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}

type Closers = (() => unknown)[]

type Records = Awaited<ReturnType<typeof openRecords>>

export { withAuditLog } from './audit/with-audit-log.ts'

/** What is written to: nothing else of a process may hold it. */
async function openRecords({ dataDir, openStore, scrub, observer }: EngineOptions, closers: Closers) {
  const lock = await acquireServerLock(dataDir)
  closers.push(() => lock.release())
  const store = await openStore()
  closers.push(() => store.close())
  const leases = createLeaseKeeper(store.leases, `process ${process.pid} on ${hostname()}`)
  await leases.requireServer()
  // Behind the lease, under which a restore works as well, and before anything may sign. The row stands until `svc resume`.
  const restored = await store.restored.read()
  if (restored !== null) await pause(dataDir, restored)
  await importOwedAllowances(dataDir, store.pendingRevocations)
  const written = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: Date.now, scrub })
  const outcomes = createCallOutcomes(observedAudit(written, observer?.audited))
  closers.push(() => outcomes.audit.close())
  const callers = createRefusedCallers({ audit: outcomes.audit, now: Date.now })
  closers.push(() => callers.flush())
  return { store, leases, outcomes, callers }
}

async function openOver(
  options: EngineOptions,
  { store, leases, outcomes, callers }: Records,
  { closers, close }: { readonly closers: Closers; readonly close: () => Promise<void> },
) {
  const { dataDir, ports, policy, policies, log, stopTimeoutMs = 10_000 } = options
  const wallet = guardedSigner(options.wallet, (chainId) => executor.policy().batchDelegate[chainId])
  const { journal, ledger, operations, orders, pendingRevocations, transactions } = store
  const { audit } = outcomes
  const gate = createShutdownGate()
  const during = <Value>(work: () => Promise<Value>) => gate.during(() => leases.asServer(work))
  const writes = createCount()
  const context = {
    ...ports,
    formerWallets: createFormerWallets({
      transactions,
      journal,
      rpc: ports.rpc,
      wallet: wallet.address,
      policy: () => executor.policy(),
    }),
    policy,
    ...(policies === undefined ? {} : { policies }),
    senders: createPerChain((chain) =>
      createSender({
        wallet: leases.signerFor(wallet, chain),
        client: ports.rpc.client(chain),
        chain,
        journal,
        counts: () => ports.rpc.transactionCounts(chain, wallet.address),
        privately: privateRoute(ports.rpc, chain, () => executor.policy()),
      }),
    ),
    signGranted: wallet.signGranted,
    userOperations: createPerChain((chain) =>
      openUserOperations({
        chain,
        client: ports.rpc.client(chain),
        owner: wallet.address,
        sponsors: options.sponsorsOn?.(chain.id) ?? null,
      }),
    ),
    operationSigner: (chain: Chain) => {
      const { ready, signAuthorization, signGranted } = leases.signerFor(wallet, chain)
      return { ready, signAuthorization, signGranted } satisfies OperationSigner
    },
    journal,
    transactions,
    ledger,
    pendingRevocations,
    operations,
    orders,
    submitOrder: (...signed: Parameters<Orders['submit']>) => ports.orders.submit(...signed),
    audit,
    dataDir,
    log,
    observer: options.observer,
    signsAuthorizations: options.wallet.signsAuthorizations,
  }
  const executor = createExecutor({
    ...context,
    now: Date.now,
    newRequestId: randomUUID,
    requireOpen: gate.requireOpen,
  })
  const decisions = createDecisionRecorder({ operations, audit, dataDir })
  const works = backgroundWorks(executor, decisions, log)
  await settleEarlier(executor, store, { works, log })
  startBackground(executor, works, { gate, during, log, closers })
  let shutting: Promise<void> | undefined
  const shut = async (): Promise<void> => {
    await gate.shut(stopTimeoutMs)
    if (writes.now() > 0) log.warn('road.cut-off', { writes: writes.now() })
  }
  const stop = (): Promise<void> => (shutting ??= shut())
  const signed = (requestId: string) => hasSigned(transactions, requestId)
  return {
    openExecute: executor.open,
    atomicRoute: executor.atomicRoute,
    wallet: { address: wallet.address },
    get defaults() {
      const { slippageBps, deadlineSeconds } = executor.policy()
      return { slippageBps: slippageBps.default, deadlineSeconds: deadlineSeconds.default }
    },
    bars: store.bars,
    sightings: store.sightings,
    memory: store.memory,
    watches: store.watches,
    tasks: store.tasks,
    signIns: store.signIns,
    rateLeases: store.rateLeases,
    idempotency: store.idempotency,
    operations: createOperationsPipeline({
      ...context,
      decisions,
      policy: () => executor.policy(),
      policyNow: () => executor.policyNow(),
      now: Date.now,
      hasSigned: signed,
      viewOrder: (stored) => executor.orders.view(stored),
    }),
    hasSigned: signed,
    doubt: createDoubt(transactions, () => executor.reconcile()),
    auditCall: (call: Call) => outcomes.begin(call),
    auditSignIn: (event: AuditEvent) => outcomes.audit.append(event),
    operator: operatorAccess(store, outcomes.audit),
    latestAudit: (principalId: string | null) => readLatestAudit(dataDir, principalId),
    refusedCaller: (...[reason, address]: Parameters<typeof callers.refused>) => callers.refused(reason, address),
    sentBy: (requestId: string) => sentTransactions({ ...ports, transactions, signedOrders: orders }, requestId),
    earlier: (requestId: string, chain: Chain) =>
      earlierTransactions({ ...ports, transactions, ledger, lookAgain: () => executor.reconcile() }, requestId, chain),
    requestOf: async (txHash: string) => (await transactions.byHash(txHash as Hash))?.requestId ?? null,
    safety: (principal: Principal) => executor.safetyReport(principal),
    during: <Value>(work: () => Promise<Value>) => writes.while(() => during(work)),
    underWay: () => writes.now(),
    stop,
    close: async () => {
      await stop()
      await close()
    },
  }
}

/** What whoever operates the server sees of all callers, and decides by: what the commands beside it open themselves. */
function operatorAccess(store: Store, audit: Pick<AuditLog, 'append'>): OperatorAccess {
  const { operations, transactions, orders, ledger, restored } = store
  const usage: Store['ledger']['usage'] = (principalId, options) => ledger.usage(principalId, options)
  const budgetUsage: Store['ledger']['budgetUsage'] = (name) => ledger.budgetUsage(name)
  return {
    records: { operations, transactions, orders, usage, budgetUsage, restored },
    audit: (event) => audit.append(event),
  }
}

export type OperatorAccess = {
  readonly records: Pick<Store, 'operations' | 'transactions' | 'orders' | 'restored'> &
    Pick<Store['ledger'], 'usage' | 'budgetUsage'>
  /** Leaves a line in the audit log; rejects where it cannot be written. */
  readonly audit: (event: AuditEvent) => Promise<void>
}

/** How many works are on their way. */
function createCount() {
  let count = 0
  return {
    now: () => count,
    async while<Value>(work: () => Promise<Value>): Promise<Value> {
      count += 1
      try {
        return await work()
      } finally {
        count -= 1
      }
    },
  }
}

/** One of a kind per chain: a sender serialises the nonces of the wallet there. */
function createPerChain<Part>(make: (chain: Chain) => Part): (chain: Chain) => Part {
  const made = new Map<number, Part>()
  return (chain) => {
    const known = made.get(chain.id)
    if (known !== undefined) return known
    const part = make(chain)
    made.set(chain.id, part)
    return part
  }
}
