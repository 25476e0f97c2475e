import type {
  AgentRegistrationConfig,
  GasOptions,
  RegistrationAttempt,
  RegistrationProgress,
  RegistrationSurroundings,
} from './registration.ts'
import { plainUrl, sponsorUrls, type SponsorUrls, supportApiUrl } from '../../service-urls.ts'
import { missingField, WalletError } from '../../wallet-error.ts'
import { abortable, throwIfAborted } from '../../with-deadline.ts'
import type { Journal } from '../../journal.ts'
import { isNeverMined } from '../../sender/entry-state.ts'
import { fundAndPay } from '../../gas/fund-and-pay.ts'
import type { GasContext, GasDesk, Submission, SubmitCall, SubmittableCall } from '../../gas/submission.ts'
import { trySponsored } from '../../gas/try-sponsored.ts'
import type { Address } from 'viem'
import type { ServiceWallet } from '../../service-wallet.ts'
import { readSignedUserOperation, type UserOperationRecord } from '../../user-operation/signed-user-operation.ts'
import { openRegistry, type OpenRegistry } from '../lookup/open-registry.ts'
import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Reads the options, the chain's support first, and asks the wallet for its address. Chain and registry of a call that is
 * gone on with are those of its record, where the options name none. Throws `ABORTED` before anybody is asked.
 */
export async function openRegistrationContext(
  wallet: ServiceWallet,
  options: RegistrationContextOptions,
): Promise<RegistrationContext> {
  const { now = Date.now, env = process.env, onProgress, signal } = options
  throwIfAborted(signal)
  const { records = wallet.memory.records, journal = wallet.memory.journal } = options
  const open = openRegistry(wallet, await placed(options, records))
  requireSupportApi(options, env)
  const owner = await abortable(signal).until(() => wallet.getAddress())
  const progress: RegistrationContext['progress'] = (step, message, details) =>
    onProgress?.({ step, message, ...(details && { details }) })
  const submitCall = createSubmitCall(
    { ...open, wallet, owner, journal, options: { ...options, env, now }, progress },
    options.resume !== undefined,
  )
  return {
    ...open,
    wallet,
    options,
    owner,
    env,
    now,
    records,
    fetch: options.fetch ?? fetch,
    attempts: [],
    warnings: [],
    progress,
    inTurn: (work, updateOf) =>
      records
        .inTurn({ chainId: open.chain.id, registry: open.registry, owner, updateOf }, work, signal)
        .catch((error: unknown) => {
          if (isAbort(error, signal)) throwIfAborted(signal)
          throw error
        }),
    signed: async (token) => {
      const isOperationKept = ((await records.load(token))?.userOperation ?? null) !== null
      return (await journal.byRequest(token)).length + (isOperationKept ? 1 : 0)
    },
    submit: ({ token, registry, data }) =>
      submitCall({ requestId: token, target: registry, data, operation: operationOf(records, token, now) }),
  }
}

/** Of a registration, or of the update of an agent that has its role. */
export type RegistrationContextOptions = Omit<AgentRegistrationConfig, 'role'> &
  Partial<Pick<AgentRegistrationConfig, 'role'>>

/** What the steps of one registration share. */
export type RegistrationContext = OpenRegistry & {
  readonly [Name in 'env' | 'now' | 'fetch']-?: NonNullable<RegistrationSurroundings[Name]>
} & {
  readonly wallet: ServiceWallet
  readonly options: RegistrationContextOptions
  readonly owner: Address
  readonly records: RegistrationRecords
  /** Grows as tiers are tried. */
  readonly attempts: RegistrationAttempt[]
  readonly warnings: string[]
  readonly progress: (
    step: RegistrationProgress['step'],
    message: string,
    details?: RegistrationProgress['details'],
  ) => void
  /** Works on the registration, or the update of an agent, while no other call does that shares the records. */
  readonly inTurn: <Result>(work: () => Promise<Result>, updateOf?: string) => Promise<Result>
  /** How many signatures journal and records hold for the token of a record. */
  readonly signed: (token: string) => Promise<number>
  /** Brings the call of a record to the chain; the same record again goes on with what is out. */
  readonly submit: (record: Pick<RegistrationRecord, 'token' | 'registry' | 'data'>) => Promise<Submission>
}

/**
 * Refuses an `SVC_API_URL` that is no URL, and a pin proxy that is asked for by name and not to be found: where it is no more
 * than the default, its lack counts as a pin that fails. Throws `VALIDATION_CONFIG_INVALID`.
 */
function requireSupportApi(
  { apiUrl, ipfsMode, resume }: RegistrationContextOptions,
  env: RegistrationContext['env'],
): void {
  const isAsked = (ipfsMode ?? env['SVC_IPFS_MODE']) === 'proxy' && resume === undefined
  if (supportApiUrl(apiUrl, env) !== undefined || !isAsked) return
  throw missingField('apiUrl', `${plainUrl}, here or in SVC_API_URL: ipfsMode "proxy" pins there`)
}

/** Whether it says no more than that the caller's signal is aborted: its own reason, or what waits that heed it reject with. */
function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return error === signal?.reason || (error instanceof Error && error.name === 'AbortError')
}

async function placed(
  options: RegistrationContextOptions,
  records: RegistrationRecords,
): Promise<RegistrationContextOptions> {
  if (options.resume === undefined) return options
  const record = await records.load(options.resume)
  if (record === null) throw unknownToken(options.resume)
  const registry = { ...options.registry, identity: options.registry?.identity ?? record.registry }
  return { ...options, chainId: options.chainId ?? record.chainId, registry }
}

function unknownToken(resumeToken: string): WalletError {
  return new WalletError('RESUME_TOKEN_INVALID', 'The records hold nothing that has the token of resume.', {
    suggestion:
      'Use the token of the pending or deferred result, with the records of that call: without any it is known to its wallet object alone.',
    details: { resumeToken },
  })
}

/** The member of a record that keeps the signed operation of a sponsored registration. */
function operationOf(records: RegistrationRecords, token: string, now: () => number): UserOperationRecord {
  return {
    async load() {
      const kept = (await records.load(token))?.userOperation ?? null
      return kept === null ? null : readSignedUserOperation(kept)
    },
    async save(operation) {
      const record = await records.load(token)
      const details = { resumeToken: token, requestId: token }
      if (record === null) {
        throw new WalletError('RESUME_TOKEN_INVALID', 'The record of the registration is gone.', { details })
      }
      const userOperationHash = operation?.userOperationHash ?? null
      const kept = record.userOperation?.['userOperationHash'] ?? userOperationHash
      if (operation !== null && kept !== userOperationHash) {
        throw new WalletError('REQUEST_CONFLICT', 'The record holds another operation of the registration.', {
          details,
        })
      }
      const state = operation === null ? 'prepared' : 'sent'
      await records.save({ ...record, state, userOperation: operation, userOperationHash, updatedAt: now() })
    },
  }
}

/**
 * Makes the way of one call to the chain, by who pays its gas: a paymaster, what the wallet holds, the faucet, a person.
 * What was signed under the request before is gone on with first, and nothing else is signed while it may still take
 * effect. Throws `VALIDATION_CONFIG_INVALID` for tiers that do not go together, for a bundler or paymaster that is no URL, and
 * for one that is missing where nobody else may pay and the call does not go on with an earlier one by its token.
 */
export function createSubmitCall(context: GasContext, isGoneOnWith = false): SubmitCall {
  const { gas = {}, env = {} } = context.options
  requireTiers(gas)
  // A variable that is no URL is refused before anybody is asked, as the option is.
  const urls = sponsorUrls(context.chain.id, gas, env)
  if (!isGoneOnWith) requireSponsor(gas, urls, context.chain.id)
  return async (call) => {
    const desk: GasDesk = { ...context, attempts: [], warnings: [] }
    const submission = await resolveGas(desk, call)
    return { ...submission, attempts: desk.attempts, warnings: desk.warnings }
  }
}

async function resolveGas(desk: GasDesk, call: SubmittableCall): Promise<Resolved> {
  desk.progress('resolve-gas', 'Finding out who pays the gas.')
  const mayBeMined = await isUndecided(desk.journal, call.requestId)
  const sponsored = mayBeMined ? null : await trySponsored(desk, call)
  return sponsored ?? (await fundAndPay(desk, call))
}

type Resolved = Submission extends infer Each
  ? Each extends Submission
    ? Omit<Each, 'attempts' | 'warnings'>
    : never
  : never

/** Whether the journal holds a transaction of the request that may be in a block, now or later. */
async function isUndecided(journal: Journal, requestId: string): Promise<boolean> {
  return (await journal.byRequest(requestId)).some((entry) => !isNeverMined(entry))
}

/** Throws `VALIDATION_CONFIG_INVALID` where a paymaster alone may pay, and it or the bundler is not named. */
function requireSponsor({ tiers = ['wallet'] }: GasOptions, urls: SponsorUrls, chainId: number): void {
  if (tiers.includes('wallet')) return
  const alone = '"sponsored" in gas.tiers pays by it'
  if (urls.bundlerUrl === null)
    throw missingField('gas.bundlerUrl', `a URL, here or in SVC_BUNDLER_URL_${chainId}: ${alone}`)
  if (urls.paymasterUrl === null)
    throw missingField('gas.paymasterUrl', `a URL, here or in SVC_PAYMASTER_URL_${chainId}: ${alone}`)
}

/** Throws `VALIDATION_CONFIG_INVALID` for a tier by which money comes that the wallet is not to spend. */
function requireTiers({ tiers = ['wallet'] }: GasOptions = {}): void {
  const funded = tiers.find((tier) => tier === 'faucet' || tier === 'manual')
  if (funded === undefined || tiers.includes('wallet')) return
  throw new WalletError('VALIDATION_CONFIG_INVALID', `gas.tiers is not valid: "${funded}" needs "wallet" beside it.`, {
    suggestion: `What comes by "${funded}" the wallet spends: add "wallet", or leave "${funded}" out.`,
    details: { fields: [{ field: 'gas.tiers', accepted: `"${funded}" with "wallet" beside it` }] },
  })
}
