import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { acquireServerLock, openStore, steadyClock, type Store, StoreError } from '@svc/store'
import { createSender, type Chain, type Sender, WalletError } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Config, WalletConfig } from './config/config-shape.ts'
import { ConfigError, type ConfigProblem } from './config/config-error.ts'
import { requirePrivate } from './config/require-private.ts'
import { createExecutor } from './execute.ts'
import { secretsOf } from './config/secrets.ts'
import { createRedactor, type Log } from '@svc/runtime'
import type { Ports } from './ports.ts'
import { openAuditLog } from './safety/audit.ts'
import { createDecisionRecorder } from './safety/decision-recorder.ts'
import { createCallOutcomes } from './safety/call-outcomes.ts'
import { createDoor } from './safety/door.ts'
import { createDoubt } from './safety/doubt.ts'
import { endInterrupted } from './safety/end-interrupted.ts'
import { createFormerWallets } from './safety/former-wallets.ts'
import { hasSigned } from './safety/has-signed.ts'
import { createLeaseKeeper } from './safety/lease-keeper.ts'
import { createOperationsPipeline } from './safety/operations-pipeline.ts'
import type { Policy } from './safety/policy.ts'
import type { PolicySource } from './safety/policy-source.ts'
import { sentTransactions } from './safety/sent-transactions.ts'
import { createRefusedCallers } from './safety/refused-callers.ts'
import { guardedSigner } from './safety/signatures/guarded-signer.ts'
import { onStorage } from './safety/storage.ts'
import { startSweeper } from './safety/sweeper.ts'
import type { Adapters } from './server.ts'

/**
 * Opens everything a write needs: the lock of the data directory, the store, the audit log, the wallet and the pipeline. What
 * an earlier process left open is settled before this resolves. Throws `StoreError` `DATA_DIR_LOCKED` when another server
 * holds the directory, `LEASE_HELD` when one runs on the same database, and `ConfigError` when that, or the provider of a
 * managed wallet, cannot be reached; on any failure what was opened is closed again. Closing first stops writes: none begins and none
 * signs again, those on their way are waited for, and what is cut off after that the next start settles.
 */
export async function openWritePipeline(options: {
  readonly config: Config
  readonly wallet: WalletConfig
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'workers'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  readonly log: Log
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}): Promise<NonNullable<Adapters['write']> & Pick<Store, 'bars' | 'sightings'>> {
  const { config, ports, policy, policies, log, stopTimeoutMs = 10_000 } = options
  const { dataDir } = config
  const wallet = guardedSigner(await openWallet(options.wallet))
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const lock = await acquireServerLock(dataDir)
    closers.push(() => lock.release())
    requirePrivate(dataDir)
    const store = await openState(config)
    closers.push(() => store.close())
    const leases = createLeaseKeeper(store.leases, `process ${process.pid} on ${hostname()}`)
    await leases.requireServer()
    const redactor = createRedactor(secretsOf(config))
    const outcomes = createCallOutcomes(
      await openAuditLog({
        path: join(dataDir, 'audit.jsonl'),
        now: Date.now,
        scrub: (value) => redactor.scrub(value),
      }),
    )
    const { audit } = outcomes
    closers.push(() => audit.close())
    const callers = createRefusedCallers({ audit, now: Date.now })
    closers.push(() => callers.flush())
    const senders = createSenders((chain) =>
      createSender({
        wallet: leases.signerFor(wallet, chain),
        client: ports.rpc.client(chain),
        chain,
        journal: store.journal,
        counts: () => ports.rpc.transactionCounts(chain, wallet.address),
      }),
    )
    const { journal, ledger, operations, transactions } = store
    const signed = (requestId: string) => hasSigned(transactions, requestId)
    const door = createDoor()
    const during = <Value>(work: () => Promise<Value>) => door.during(() => leases.asServer(work))
    let shutting: Promise<boolean> | undefined
    const stop = async (): Promise<void> => {
      shutting ??= door.shut(stopTimeoutMs)
      if (!(await shutting)) log.warn('road.cut-off')
    }
    const decisions = createDecisionRecorder({ operations, audit, dataDir })
    const followed = policies === undefined ? {} : { policies }
    const formerWallets = createFormerWallets({ transactions, journal, rpc: ports.rpc, wallet: wallet.address })
    const context = {
      ...ports,
      formerWallets,
      policy,
      ...followed,
      senders,
      journal,
      transactions,
      ledger,
      operations,
      audit,
      dataDir,
      log,
    }
    const executor = createExecutor({
      ...context,
      now: Date.now,
      newRequestId: randomUUID,
      requireOpen: door.requireOpen,
    })
    const recordSwitches = () =>
      executor.recordSwitches().catch((error: unknown) => log.warn('switches.unrecorded', { error }))
    const recordDecisions = () =>
      decisions.look().catch((error: unknown) => log.warn('decisions.unrecorded', { error }))
    await Promise.all([recordSwitches(), recordDecisions()])
    // Here alone: once writes begin, a reservation without a signature may be that of one on its way.
    await onStorage('the ledger cannot be written', () => ledger.releaseUnsigned())
    log.info('road.reconciled', { ...(await executor.reconcile()) })
    const carryOutRequests = () =>
      executor.carryOutRequests().catch((error: unknown) => log.warn('requests.unattended', { error }))
    await carryOutRequests()
    const interrupted = await endInterrupted({ operations, transactions, log })
    if (interrupted.givenBack.length + interrupted.ended.length > 0) log.info('road.interrupted', interrupted)
    const sweeper = startSweeper({
      everyMs: sweepEveryMs,
      sweep: () =>
        during(async () => {
          // First, so that the gas of what ended by itself is on record when the balance is held against it.
          try {
            await executor.reconcile()
          } finally {
            await executor.watchBalances()
          }
        }),
      onError: (error) => log.warn('road.unswept', { error }),
    })
    closers.push(() => sweeper.stop())
    // A policy that breaks is notified of at once, not only to the caller whose write is refused for it; one that changes holds
    // for what runs by itself too.
    const lookAround = () => Promise.all([recordSwitches(), executor.policyNow().catch(() => {})])
    const watch = startSweeper({ everyMs: watchEveryMs, sweep: lookAround, onError: () => {} })
    closers.push(() => watch.stop())
    const listen = startSweeper({ everyMs: decisionsEveryMs, sweep: recordDecisions, onError: () => {} })
    closers.push(() => listen.stop())
    const attend = startSweeper({ everyMs: requestsEveryMs, sweep: () => during(carryOutRequests), onError: () => {} })
    closers.push(() => attend.stop())
    return {
      openExecute: executor.open,
      wallet: { address: wallet.address, type: options.wallet.type },
      get defaults() {
        const { slippageBps, deadlineSeconds } = executor.policy()
        return { slippageBps: slippageBps.default, deadlineSeconds: deadlineSeconds.default }
      },
      bars: store.bars,
      sightings: store.sightings,
      idempotency: store.idempotency,
      operations: createOperationsPipeline({
        ...context,
        decisions,
        policy: () => executor.policy(),
        policyNow: () => executor.policyNow(),
        now: Date.now,
        hasSigned: signed,
      }),
      hasSigned: signed,
      doubt: createDoubt(transactions, () => executor.reconcile()),
      noteCall: (call) => outcomes.begin(call),
      refusedCaller: (reason, address) => callers.refused(reason, address),
      sentBy: (requestId) => sentTransactions({ ...ports, transactions }, requestId),
      requestOf: async (txHash) => (await transactions.byHash(txHash as `0x${string}`))?.requestId ?? null,
      safety: (principal) => executor.safetyReport(principal),
      during,
      stop,
      close: async () => {
        await stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** How soon what was left behind is looked at again. */
const sweepEveryMs = 10_000

/** How soon it tells of a decision that nobody acts on. One that is acted on is recorded first. */
const decisionsEveryMs = 5_000

/** How soon what an operator asks about a transaction is taken up. */
const requestsEveryMs = 2_000

/** How soon the audit log tells what an operator did. Signing itself looks at the switches each time. */
const watchEveryMs = 500

/** The address of a managed wallet is read from its provider, which proves that the credentials hold. */
async function openWallet(config: WalletConfig): Promise<ServiceWallet> {
  if (config.type === 'local') return new ServiceWallet({ mode: 'local', privateKey: config.privateKey })
  const { appId, appSecret, walletId, authPrivateKey, apiUrl } = config
  const url = apiUrl === null ? {} : { apiUrl }
  try {
    const wallet = new ServiceWallet({ mode: 'managed', appId, appSecret, walletId, authPrivateKey, ...url })
    await wallet.getAddress()
    return wallet
  } catch (error) {
    if (!(error instanceof WalletError)) throw error
    const { message, suggestion: fix } = error
    const [option, setting] = managedSettings.find(([name]) => message.startsWith(`${name} `)) ?? ['', 'WALLET_TYPE']
    throw unavailable({
      code: 'MANAGED_WALLET_UNAVAILABLE',
      setting,
      message: option === '' ? message : message.replace(option, setting),
      fix: option === '' ? fix : `Correct ${setting}.`,
    })
  }
}

/** What the wallet package calls an option, and what the operator does. */
const managedSettings = [
  ['appId', 'WALLET_APP_ID'],
  ['appSecret', 'WALLET_APP_SECRET'],
  ['walletId', 'WALLET_ID'],
  ['authPrivateKey', 'WALLET_AUTH_PRIVATE_KEY'],
  ['apiUrl', 'SVC_WALLET_API_URL'],
] as const

/** The state stands in the database that the operator names, else in the data directory. */
async function openState({ dataDir, databaseUrl }: Config): Promise<Store> {
  const now = steadyClock(Date.now, () => performance.now())
  if (databaseUrl === null) return await openStore({ path: join(dataDir, 'state.db'), now })
  try {
    return await openStore({ url: databaseUrl.reveal(), now })
  } catch (error) {
    const isOurs =
      error instanceof StoreError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_URL_INVALID')
    if (!isOurs) throw error
    throw unavailable({
      code: 'DATABASE_UNAVAILABLE',
      setting: 'SVC_DATABASE_URL',
      message: error.message,
      fix: 'Start the database or correct SVC_DATABASE_URL; without it the state stands in SVC_DATA_DIR.',
    })
  }
}

function unavailable(problem: ConfigProblem): ConfigError {
  return new ConfigError([problem])
}

/** One sender per chain: it serialises the nonces of the wallet there. */
function createSenders(make: (chain: Chain) => Sender): (chain: Chain) => Sender {
  const made = new Map<number, Sender>()
  return (chain) => {
    const known = made.get(chain.id)
    if (known !== undefined) return known
    const sender = make(chain)
    made.set(chain.id, sender)
    return sender
  }
}
