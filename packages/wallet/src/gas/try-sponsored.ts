import type { RegistrationProgress } from '../agent/registration/registration.ts'
import type { OperationContext, OperationStep } from '../user-operation/open-bundler.ts'
import type { OperationOutcome } from '../user-operation/run-user-operation.ts'
import type { UserOperationRecord } from '../user-operation/signed-user-operation.ts'
import { sponsorUrls, type SponsorUrls } from '../service-urls.ts'
import { WalletError, type WalletErrorCode } from '../wallet-error.ts'
import type { GasDesk, SettledCall, SubmittableCall } from './submission.ts'

/**
 * Sends the call as a sponsored user operation, or goes on with the one that was signed before. `null` when nothing of it
 * can take effect any more and another tier may pay. Throws what another tier would not fix.
 */
export async function trySponsored(desk: GasDesk, call: SubmittableCall): Promise<SettledCall | null> {
  const { operation } = call
  if (operation === undefined) return null
  const kept = await operation.load()
  const { gas = {}, env = {} } = desk.options
  const urls = sponsorUrls(desk.chain.id, gas, env)
  if (kept === null && !isWanted(desk, urls)) return null
  if (urls.bundlerUrl === null || urls.paymasterUrl === null) {
    if (kept !== null) return await lookOnly(desk, operation)
    return skipped(desk, `No URL of a ${urls.bundlerUrl === null ? 'bundler' : 'paymaster'} is given for the chain.`)
  }
  if (kept === null && (await desk.journal.open(desk.chain.id, desk.owner)).length > 0) {
    return skipped(desk, 'The wallet has transactions out, which would take the nonce of its authorization.')
  }
  if (kept === null) desk.progress('resolve-gas', 'Asking a paymaster to pay the gas.')
  return await run(desk, call, operation, await contextOf(desk, urls.bundlerUrl, urls.paymasterUrl))
}

/** To name a bundler or a paymaster, by an option or its variable, is to ask for sponsored gas. */
function isWanted({ chain, options: { gas = {} } }: GasDesk, { bundlerUrl, paymasterUrl }: SponsorUrls): boolean {
  if (gas.tiers !== undefined) return gas.tiers.includes('sponsored')
  return chain.sponsored === true || bundlerUrl !== null || paymasterUrl !== null
}

async function run(
  desk: GasDesk,
  call: SubmittableCall,
  record: UserOperationRecord,
  context: OperationContext,
): Promise<SettledCall | null> {
  const { runUserOperation } = await import('../user-operation/run-user-operation.ts')
  try {
    return settledBy(desk, await runUserOperation(context, [call], record))
  } catch (error) {
    // An operation that is kept may be out, whatever failed: then nothing else may be tried.
    const isFixed = error instanceof WalletError && !unfixable.has(error.code)
    if (!isFixed || desk.options.signal?.aborted === true || (await record.load()) !== null) throw error
    return fallen(desk, error.code, error.message)
  }
}

/** The call itself is wrong, or what keeps it is. */
const unfixable: ReadonlySet<WalletErrorCode> = new Set([
  'USER_OPERATION_REVERTED',
  'REQUEST_CONFLICT',
  'JOURNAL_UNREADABLE',
  'VALIDATION_CONFIG_INVALID',
])

function settledBy(desk: GasDesk, outcome: OperationOutcome): SettledCall {
  const { attempts } = desk
  const { status, userOperationHash } = outcome
  if (status === 'pending') {
    const reason = outcome.declined === null ? {} : { reason: 'The bundler declines the operation at present.' }
    attempts.push({ kind: 'gas', tier: 'sponsored', outcome: 'pending', ...reason })
    return { status, txHash: null, userOperationHash }
  }
  attempts.push({ kind: 'gas', tier: 'sponsored', outcome: 'done' })
  const { txHash } = outcome
  if (status === 'reverted') return { status, txHash, reason: outcome.reason }
  return { status, txHash, logs: outcome.logs, gasTier: 'sponsored' }
}

/** Without a bundler the operation cannot be offered again, yet the chain tells what became of it. */
async function lookOnly(desk: GasDesk, record: UserOperationRecord): Promise<SettledCall | null> {
  const kept = await record.load()
  if (kept === null) return null
  const { lookForOperation } = await import('../user-operation/look-for-operation.ts')
  const sighting = await lookForOperation({ ...desk, bundler: null }, kept)
  const { userOperationHash } = kept
  if (sighting.status === 'open') {
    return settledBy(desk, { status: 'pending', userOperationHash, operation: kept, declined: null })
  }
  if (sighting.status === 'mined' || sighting.status === 'reverted') {
    return settledBy(desk, { ...sighting, userOperationHash })
  }
  await record.save(null)
  return fallen(
    desk,
    'BUNDLER_UNAVAILABLE',
    'Another operation of the account took the place of the one that was signed.',
  )
}

async function contextOf(desk: GasDesk, bundlerUrl: string, paymasterUrl: string): Promise<OperationContext> {
  const { openBundler } = await import('../user-operation/open-bundler.ts')
  const { wallet, owner, chain, client, options } = desk
  const { paymasterContext: context, allowDelegationTo, sponsoredWaitMs = 60_000 } = options.gas ?? {}
  const requestTimeoutMs = Math.min(10_000, Math.max(sponsoredWaitMs, 1_000))
  return {
    signer: wallet,
    owner,
    chain,
    client,
    bundler: openBundler(bundlerUrl, requestTimeoutMs, options.signal),
    paymaster: { bundler: openBundler(paymasterUrl, requestTimeoutMs, options.signal), ...(context && { context }) },
    ...(allowDelegationTo && { allowDelegationTo }),
    timeoutMs: sponsoredWaitMs,
    resendAfterMs: 10_000,
    ...(options.signal && { signal: options.signal }),
    onStep: (step, details) => announce(desk, step, details),
  }
}

function announce(desk: GasDesk, step: OperationStep, details: RegistrationProgress['details']): void {
  const delegating = `The account ${desk.owner} is delegated to ${String(details?.['implementation'])} (EIP-7702)`
  if (step === 'delegate') desk.warnings.push(`${delegating}; that lasts until it is revoked.`)
  desk.progress(step, step === 'delegate' ? `${delegating}.` : sentences[step], details)
}

const sentences = {
  sign: 'Signing the user operation.',
  send: 'Offering the user operation to the bundler.',
  confirm: 'Waiting for the user operation.',
} as const

function skipped({ attempts }: GasDesk, reason: string): null {
  attempts.push({ kind: 'gas', tier: 'sponsored', outcome: 'skipped', reason })
  return null
}

function fallen({ attempts, progress, options }: GasDesk, code: WalletErrorCode, reason: string): null {
  attempts.push({ kind: 'gas', tier: 'sponsored', outcome: 'failed', code, reason })
  const mayPay = options.gas?.tiers?.includes('wallet') ?? true
  if (mayPay) progress('fallback', `${reason} The wallet pays the gas itself.`)
  return null
}
