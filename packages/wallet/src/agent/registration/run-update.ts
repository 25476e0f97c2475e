import type { Hash, Hex } from 'viem'
import type { ServiceWallet } from '../../service-wallet.ts'
import { requireOptions, requireWallet } from '../../require-options.ts'
import { invalidField, WalletError } from '../../wallet-error.ts'
import { updateChecks } from '../agent-options.ts'
import { keepOutcome, submitRecorded, type Submitted, recordOf } from './recorded-call.ts'
import { lookAtRegistry } from '../lookup/look-at-registry.ts'
import { isEnded, type RegistrationRecord } from './registration-records.ts'
import { parseAgentId } from '../lookup/open-registry.ts'
import { openRegistrationContext } from './registration-context.ts'
import { identityRegistryAbi as abi, readAgent } from '../registry/identity-registry.ts'
import type { AgentUpdateConfig, DeferredUpdate, PendingUpdate, UpdateResult, UpdateContext } from '../update-agent.ts'
import { updateCalls } from './update-calls.ts'

/** What `updateAgent` does, in its order; loaded with its first call. */
export async function runUpdate(wallet: ServiceWallet, options: AgentUpdateConfig): Promise<UpdateResult> {
  requireWallet(wallet)
  requireOptions(options, updateChecks, { needed: ['agentId'] })
  const { chainId, tokenId } = parseAgentId(options.agentId)
  if (options.chainId !== undefined && options.chainId !== chainId) {
    throw invalidField('chainId', `${chainId}, as in agentId`)
  }
  const context: UpdateContext = { ...(await openRegistrationContext(wallet, { ...options, chainId })), options }
  return context.inTurn(() => updateInTurn(context, tokenId), `${tokenId}`)
}

async function updateInTurn(context: UpdateContext, tokenId: bigint): Promise<UpdateResult> {
  const { options } = context
  await requireMayUpdate(context, tokenId)
  const hashes: Hash[] = []
  return sendDifferences(context, tokenId, hashes).catch((error: unknown) => {
    if (!(error instanceof WalletError && error.code === 'ABORTED') || hashes.length === 0) throw error
    const { message, cause } = error
    const suggestion = 'Call updateAgent again: what is mined stays, and what still differs is sent.'
    throw new WalletError('ABORTED', message, {
      cause,
      suggestion,
      details: { agentId: options.agentId, txHashes: hashes },
    })
  })
}

async function sendDifferences(context: UpdateContext, tokenId: bigint, hashes: Hash[]): Promise<UpdateResult> {
  const { chain, registry, options } = context
  const begun = await updateUnderWay(context, tokenId)
  const resumed = begun === null ? null : await runAll(context, begun, hashes)
  if (resumed !== null && resumed.status !== 'mined') return resumed
  const { agentURI, calls } = await updateCalls(context, tokenId)
  const sent = await sendAll(context, tokenId, agentURI, calls, hashes)
  if (sent !== null && sent.status !== 'mined') return sent
  const last = sent ?? resumed
  context.progress('done', hashes.length === 0 ? 'Nothing differs.' : `Updated agent ${options.agentId}.`, { hashes })
  return {
    status: 'updated',
    unchanged: hashes.length === 0,
    agentId: options.agentId,
    tokenId: `${tokenId}`,
    agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    chainId: chain.id,
    txHashes: hashes,
    gasTier: last?.gasTier ?? null,
    attempts: context.attempts,
    warnings: context.warnings,
  }
}

type Mined = Extract<Awaited<ReturnType<typeof keepOutcome>>, { readonly status: 'mined' }>

async function requireMayUpdate(context: UpdateContext, tokenId: bigint): Promise<void> {
  const { client, registry: address, chain, owner, progress } = context
  progress('check-chain', `Looking at agent ${tokenId} of the registry ${address} on chain ${chain.id}.`)
  const { speech } = await lookAtRegistry(context, owner)
  const details = { chainId: chain.id, registry: address, agentId: `${chain.id}:${tokenId}` }
  if (speech.form === 'handle-v0') {
    const message = `The registry ${address} keeps what was registered as it is.`
    throw new WalletError('REGISTRY_CANNOT_UPDATE', message, { details: { ...details, form: speech.form } })
  }
  const read = { address, abi, functionName: 'isAuthorizedOrOwner', args: [owner, tokenId] } as const
  if (await readAgent(context, tokenId, () => client.readContract(read))) return
  throw new WalletError('AGENT_NOT_OWNED', `${owner} neither owns agent ${tokenId} nor may act for it.`, {
    details: { ...details, address: owner },
  })
}

/**
 * The call of an earlier update that is gone on with: the one `resume` names with all that follow, or else one that may be
 * out. One that is not is forgotten, since what this update asks for is reckoned anew.
 */
async function updateUnderWay(context: UpdateContext, tokenId: bigint): Promise<RegistrationRecord | null> {
  const { options, records, chain, registry, owner, now, progress } = context
  const token = `${tokenId}`
  const record = await records.find(chain.id, registry, owner, token)
  if (options.resume !== undefined) {
    const named = await recordOf(context, options.resume, token)
    // One that is mined has handed what follows on to the next, if there was time for it.
    return named.state === 'updated' ? record : named
  }
  if (record === null || record.update === undefined || isEnded(record)) return null
  if ((await context.signed(record.token)) === 0) {
    await records.save({ ...record, state: 'failed', updatedAt: now() })
    return null
  }
  progress('send', 'Going on with the update that was begun earlier.')
  return { ...record, update: { tokenId: token, rest: [] } }
}

async function runAll(context: UpdateContext, record: RegistrationRecord, hashes: Hash[]): Promise<UpdateStep | null> {
  const { tokenId, rest } = record.update ?? { tokenId: '', rest: [] }
  const isMined = record.state === 'updated'
  const step = isMined ? null : await settle(context, { record, submission: await context.submit(record) }, hashes)
  if (step !== null && step.status !== 'mined') return step
  return (await sendAll(context, BigInt(tokenId), record.agentURI, rest, hashes)) ?? step
}

/** One after the other; `null` when there is nothing to send. */
async function sendAll(
  context: UpdateContext,
  tokenId: bigint,
  agentURI: string,
  calls: readonly Hex[],
  hashes: Hash[],
): Promise<UpdateStep | null> {
  let step: UpdateStep | null = null
  for (const [index, data] of calls.entries()) {
    const update = { tokenId: `${tokenId}`, rest: calls.slice(index + 1) }
    step = await settle(
      context,
      await submitRecorded(context, { method: 'direct-contract', agentURI, data, update }),
      hashes,
    )
    if (step.status !== 'mined') return step
  }
  return step
}

type UpdateStep = Mined | PendingUpdate | DeferredUpdate

async function settle(context: UpdateContext, { record, submission }: Submitted, hashes: Hash[]): Promise<UpdateStep> {
  const outcome = await keepOutcome(context, record, submission)
  // What this call was tried by belongs to the whole of the update.
  context.attempts.splice(0, context.attempts.length, ...outcome.attempts)
  context.warnings.splice(0, context.warnings.length, ...new Set(outcome.warnings))
  if (outcome.status === 'deferred') return { ...outcome, code: 'UPDATE_DEFERRED' }
  if (outcome.status === 'pending') return { ...outcome, code: 'UPDATE_PENDING' }
  const { txHash } = outcome
  await outcome.keep({ state: 'updated', txHash, tokenId: record.update?.tokenId ?? null })
  hashes.push(txHash)
  return outcome
}
