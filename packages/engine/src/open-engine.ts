import { randomUUID } from 'node:crypto'
import type { MarketPorts, Orders } from '@svc/amm'
import { type Chain, createSender, type OperationSponsors, openUserOperations } from '@svc/wallet/core'
import type { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Hash } from 'viem'
import { type Leader, type Store, acquireServerLock } from '@svc/store'
import { type AuditEvent, type AuditLog, openAuditLog } from './audit/audit.ts'
import { createDecisionRecorder } from './switches/decision-recorder.ts'
import { readLatestAudit } from './audit/read-audit-log.ts'
import type { OperationSigner } from './context/engine.ts'
import { earlierTransactions, sentTransactions } from './operations/sent-transactions.ts'
import { createDoubt, hasSigned } from './operations/may-be-mined.ts'
import { createOperationsPipeline } from './operations/operations-pipeline.ts'
import { backgroundWorks, settleEarlier, startBackground, createShutdownGate } from './background-works.ts'
import { openRecords, type Records, type RecordsOptions, openRole } from './open-records.ts'
import { createExecutor } from './pipeline.ts'
import type { Policy } from './policy/policy.ts'
import type { PolicySource } from './policy/policy-source.ts'
import type { Principal, Call } from './call/call.ts'
import { createFormerWallets } from './recovery/reconcile.ts'
import { privateRoute } from './transactions/private-route.ts'
import { guardedSigner } from './signatures/guarded-signer.ts'
import { readPause } from './switches/kill-switch.ts'
import type { SwitchPlace } from './switches/switch-text.ts'
import { join } from 'node:path'
import { makeDirectory } from '@svc/runtime'

/**
 * Opens everything a write needs: the lock of the data directory, the store, the audit log and the pipeline. What an earlier
 * process left open is settled before this resolves. Where another server leads on the same database this one follows it: it answers
 * what only reads, refuses the rest with `NOT_LEADER`, and takes the lead when that one ends. Throws `StoreError` `DATA_DIR_LOCKED` when
 * another server holds the directory, and whatever `openStore` throws; on any failure what was opened is closed again. Closing first stops writes: none begins and none signs again, those on their way are waited for,
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

export type EngineOptions = RecordsOptions & {
  readonly wallet: ServiceWallet
  readonly ports: Pick<MarketPorts, 'chains' | 'rpc' | 'tokens' | 'prices' | 'liquidity' | 'orders'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  /** Who takes user operations of the wallet on a chain, and who pays for them; `null` where either is not configured. */
  readonly sponsorsOn?: (chainId: number) => OperationSponsors | null
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}

type Closers = (() => unknown)[]

async function openOver(
  options: EngineOptions,
  records: Records,
  { closers, close }: { readonly closers: Closers; readonly close: () => Promise<void> },
) {
  const { store, leases, outcomes, callers, place } = records
  const { dataDir, ports, policy, policies, log, stopTimeoutMs = 10_000 } = options
  const wallet = guardedSigner(options.wallet, (chainId) => executor.policy().batchDelegate[chainId])
  const { journal, ledger, operations, orders, pendingRevocations, transactions } = store
  const { audit } = outcomes
  const gate = createShutdownGate()
  const during = <Value>(work: () => Promise<Value>) => gate.during(() => role.asLeader(work))
  const writes = createCount()
  const context = {
    ...ports,
    formerWallets: createFormerWallets({
      transactions,
      journal,
      rpc: ports.rpc,
      wallet: wallet.address,
      policy: () => executor.policy(),
      requireOffer: () => role.requireLead(),
    }),
    policy,
    ...(policies === undefined ? {} : { policies }),
    senders: createPerChain((chain) =>
      createSender({
        wallet: leases.signerFor(wallet, chain, () => role.requireLead()),
        client: ports.rpc.client(chain),
        chain,
        journal,
        counts: () => ports.rpc.transactionCounts(chain, wallet.address),
        privately: privateRoute(ports.rpc, chain, () => executor.policy()),
        requireOffer: () => role.requireLead(),
      }),
    ),
    signGranted: async (...asked: Parameters<typeof wallet.signGranted>) => {
      role.requireLead()
      return wallet.signGranted(...asked)
    },
    userOperations: createPerChain((chain) =>
      openUserOperations({
        chain,
        client: ports.rpc.client(chain),
        owner: wallet.address,
        sponsors: options.sponsorsOn?.(chain.id) ?? null,
      }),
    ),
    operationSigner: (chain: Chain) => {
      const { ready, signAuthorization, signGranted } = leases.signerFor(wallet, chain, () => role.requireLead())
      return { ready, signAuthorization, signGranted } satisfies OperationSigner
    },
    journal,
    transactions,
    ledger,
    pendingRevocations,
    operations,
    orders,
    submitOrder: async (...signed: Parameters<Orders['submit']>) => {
      role.requireLead()
      return ports.orders.submit(...signed)
    },
    requireLead: () => role.requireLead(),
    term: () => role.term(),
    audit,
    ...place,
    log,
    observer: options.observer,
    signsAuthorizations: options.wallet.signsAuthorizations,
  }
  const executor = createExecutor({
    ...context,
    now: Date.now,
    newRequestId: randomUUID,
    requireOpen: () => {
      gate.requireOpen()
      role.requireLead()
    },
  })
  const decisions = createDecisionRecorder({ operations, audit, ...place })
  const works = backgroundWorks(executor, decisions, log)
  const settle = () => settleEarlier(executor, store, { works, log })
  const beginWorks = (isAnyOut: boolean) => startBackground(executor, works, { gate, during, log, isAnyOut })
  const role = openRole(options, records, { gate, executor, settle, beginWorks })
  closers.push(() => role.end())
  await role.begin()
  let shutting: Promise<void> | undefined
  const shut = async (): Promise<void> => {
    await gate.shut(stopTimeoutMs)
    if (writes.now() > 0) log.warn('road.cut-off', { writes: writes.now() })
  }
  const stop = (): Promise<void> => (shutting ??= shut())
  const signed = (requestId: string) => hasSigned(transactions, requestId)
  const requireLeader = () => role.asLeader(async () => undefined)
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
    requireLeader,
    auditSignIn: (event: AuditEvent) => outcomes.audit.append(event),
    operator: operatorAccess(store, outcomes.audit, { place, requireLeader }),
    latestAudit: (principalId: string | null) => readLatestAudit(dataDir, principalId),
    refusedCaller: (...[reason, address]: Parameters<typeof callers.refused>) => callers.refused(reason, address),
    sentBy: (requestId: string) => sentTransactions({ ...ports, transactions, signedOrders: orders }, requestId),
    earlier: (requestId: string, chain: Chain) =>
      earlierTransactions({ ...ports, transactions, ledger, lookAgain: () => executor.reconcile() }, requestId, chain),
    requestOf: async (txHash: string) => (await transactions.byHash(txHash as Hash))?.requestId ?? null,
    safety: (principal: Principal) => executor.safetyReport(principal),
    during: <Value>(work: () => Promise<Value>) => writes.while(() => during(work)),
    underWay: () => writes.now(),
    role: () => role.facts(),
    term: () => role.term(),
    pause: () => readPause(place),
    sharedKeys: records.shared?.keys ?? null,
    stop,
    close: async () => {
      await stop()
      await close()
    },
  }
}

/** What whoever operates the server sees of all callers, and decides by: what the commands beside it open themselves. */
function operatorAccess(
  store: Store,
  audit: Pick<AuditLog, 'append'>,
  more: Pick<OperatorAccess, 'place' | 'requireLeader'>,
): OperatorAccess {
  const { operations, transactions, orders, ledger, restored } = store
  const usage: Store['ledger']['usage'] = (principalId, options) => ledger.usage(principalId, options)
  const budgetUsage: Store['ledger']['budgetUsage'] = (name) => ledger.budgetUsage(name)
  return {
    records: { operations, transactions, orders, usage, budgetUsage, restored },
    ...more,
    leader: async () => (await store.leadership?.read()) ?? null,
    audit: (event) => audit.append(event),
  }
}

export type OperatorAccess = {
  readonly records: Pick<Store, 'operations' | 'transactions' | 'orders' | 'restored'> &
    Pick<Store['ledger'], 'usage' | 'budgetUsage'>
  /** Where what stops signing stands. */
  readonly place: SwitchPlace
  /** Throws `NOT_LEADER` of a server that follows another one on a shared database. */
  requireLeader(): Promise<void>
  /** Which server writes, of those that share a database; `null` where one has the state, or none has led yet. */
  readonly leader: () => Promise<Leader | null>
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

/**
 * Does what is audited before there is an engine, as the only server of the directory: makes the directory, holds its lock, and closes the
 * audit log whatever comes out. Throws `StoreError` `DATA_DIR_LOCKED` when another server holds it.
 */
export async function withAuditLog<Value>(
  { dataDir, scrub }: { readonly dataDir: string; readonly scrub: (value: unknown) => unknown },
  work: (audit: Pick<AuditLog, 'append'>) => Promise<Value>,
): Promise<Value> {
  makeDirectory(dataDir)
  const lock = await acquireServerLock(dataDir)
  try {
    const audit = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: Date.now, scrub })
    try {
      return await work(audit)
    } finally {
      await audit.close()
    }
  } finally {
    lock.release()
  }
}
