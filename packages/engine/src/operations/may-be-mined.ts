import type { StoredTransaction, Transactions, Operation, Operations } from '@svc/store'
import { isNeverMined, type JournalEntry } from '@svc/wallet/core'
import { type Address, decodeFunctionData, parseTransaction, size, slice, toFunctionSelector } from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import type { Doubt } from './operations.ts'
import { isCancelled } from '../transactions/replacing.ts'
import { ToolError } from '@svc/amm'
import { type PipelineLog, onStorage } from '../call/refusal.ts'

/**
 * Whether a signed transaction may have an effect: false only where it is proved that it is never mined, since another
 * transaction was read in a settled block at its nonce. Bytes an endpoint declined may have been forwarded all the same.
 */
export function mayBeMined(entry: Pick<JournalEntry, 'state'>): boolean {
  return !isNeverMined(entry)
}

/** Whether the operator took a step of a request back: asked so of one of its attempts, and none is ever mined. */
export function isRevoked(attempts: readonly Pick<StoredTransaction, 'state' | 'asked'>[]): boolean {
  return attempts.some(({ asked }) => asked?.what === 'cancel') && !attempts.some(mayBeMined)
}

/**
 * Whether it is open what a request did because an endpoint declined bytes of it, and nothing else of it is out but
 * approvals, which are revoked: such a request is asked for again, and is free once the chain has shown that the bytes
 * are never mined.
 */
export function isInDoubt(entries: readonly Signed[]): boolean {
  const isDeclined = ({ state }: Signed): boolean => state === 'refused'
  return (
    entries.some(isDeclined) && entries.filter(mayBeMined).every((one) => isDeclined(one) || approvalOf(one) !== null)
  )
}

/** Whether an approval was mined: it leaves nothing but an allowance. */
export function isMinedApproval(entry: Signed): boolean {
  return entry.state === 'final' && approvalOf(entry) !== null
}

/**
 * Whether a request signed something and nothing of it has an effect: a step is proved never to be mined, which the
 * operator did not ask for, and at most approvals for it were mined.
 */
export function isProvedDead(entries: readonly (Signed & Pick<StoredTransaction, 'step' | 'asked'>)[]): boolean {
  const dead = signedSteps(entries).filter((attempts) => !attempts.some(mayBeMined))
  return dead.length > 0 && !dead.some(isRevoked) && entries.filter(mayBeMined).every(isMinedApproval)
}

/**
 * The allowance that a signed transaction sets; `null` for any other. One of Permit2 has no amount of its own: it is worth
 * as much as the ERC-20 allowance under it.
 */
export function approvalOf({ rawTransaction }: Pick<JournalEntry, 'rawTransaction'>): SignedApproval | null {
  const { to, data = '0x' } = parseTransaction(rawTransaction)
  if (to == null || size(data) < 4) return null
  const selector = slice(data, 0, 4)
  if (selector === throughPermit2) return { via: 'permit2' }
  if (selector !== direct || size(data) < 68) return null
  const { args } = decodeFunctionData({ abi: erc20Abi, data })
  const [spender, amount] = args as readonly [Address, bigint]
  return { via: 'erc20', token: to, spender, amount }
}

/** The ERC-20 allowances that signed transactions set. */
export function approvalsIn(entries: readonly Pick<JournalEntry, 'rawTransaction'>[]) {
  return entries.flatMap((entry) => {
    const approval = approvalOf(entry)
    return approval?.via === 'erc20' ? [approval] : []
  })
}

export type SignedApproval =
  | { readonly via: 'erc20'; readonly token: Address; readonly spender: Address; readonly amount: bigint }
  | { readonly via: 'permit2' }

/** What a request signed, step by step: each with its attempts, in the order they were signed. */
export function signedSteps<Entry extends Pick<StoredTransaction, 'step'>>(
  entries: readonly Entry[],
): readonly (readonly Entry[])[] {
  const steps = new Map<number, Entry[]>()
  for (const entry of entries) {
    const attempts = steps.get(entry.step)
    if (attempts === undefined) steps.set(entry.step, [entry])
    else attempts.push(entry)
  }
  return [...steps.values()]
}

/** Whether a signed transaction may still be mined, or is mined and not settled yet. */
export function isSignedOpen({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}

/** What the journal knows of requests whose bytes an endpoint declined, and the way to ask the chain about them. */
export function createDoubt(transactions: Pick<Transactions, 'byRequest'>, lookAgain: () => Promise<unknown>): Doubt {
  return Object.freeze({
    isOpen: async (requestId: string) => isInDoubt(await transactions.byRequest(requestId)),
    isProvedDead: async (requestId: string) => isProvedDead(await transactions.byRequest(requestId)),
    lookAgain,
  })
}

/**
 * Whether a request signed anything that may have an effect, or that the operator cancelled: then its answer stands, and
 * the same call is not run again.
 */
export async function hasSigned(transactions: Pick<Transactions, 'byRequest'>, requestId: string): Promise<boolean> {
  return (await transactions.byRequest(requestId)).some((entry) => mayBeMined(entry) || isCancelled(entry))
}

type Signed = Pick<JournalEntry, 'state' | 'rawTransaction'>

const direct = toFunctionSelector('approve(address,uint256)')
const throughPermit2 = toFunctionSelector('approve(address,address,uint160,uint48)')

/**
 * At start, before anything is carried out: what an earlier process had taken and not ended. Where nothing was signed the
 * operation goes back to where it was and can be taken again; where something was, it ends naming the transactions, which
 * the journal brings to their end; where the operator cancelled what it had signed, it ends with that. So none is lost and
 * none runs twice. Throws `STORAGE_UNAVAILABLE`.
 */
export async function endInterrupted(options: {
  readonly operations: Pick<Operations, 'interrupted' | 'giveBack' | 'finish'>
  readonly transactions: Pick<Transactions, 'byRequest'>
  readonly log: Pick<PipelineLog, 'warn'>
}): Promise<{ readonly givenBack: readonly string[]; readonly ended: readonly string[] }> {
  const { operations, transactions, log } = options
  const [givenBack, ended]: [string[], string[]] = [[], []]
  for (const operation of await onStorage('the operations cannot be read', () => operations.interrupted())) {
    const { id } = operation
    const signed = await onStorage('the journal cannot be read', () => signedBy(operation, transactions))
    const end = endOf(signed)
    await onStorage('the operations cannot be written', () =>
      end === null ? operations.giveBack(id) : operations.finish(id, { state: 'failed', answer: JSON.stringify(end) }),
    )
    ;(end === null ? givenBack : ended).push(id)
    log.warn('operation.interrupted', { operationId: id, transactions: signed.map(({ hash }) => hash) })
  }
  return { givenBack, ended }
}

/** What may have an effect, or was revoked. */
async function signedBy(
  { requestId }: Operation,
  transactions: Pick<Transactions, 'byRequest'>,
): Promise<readonly StoredTransaction[]> {
  if (requestId === null) return []
  return (await transactions.byRequest(requestId)).filter((entry) => mayBeMined(entry) || isRevoked([entry]))
}

function endOf(signed: readonly StoredTransaction[]): ToolError | null {
  if (signed.length === 0) return null
  const steps = signedSteps(signed)
  if (steps.some(isRevoked) && steps.every((attempts) => isRevoked(attempts) || attempts.every(isMinedApproval))) {
    return new ToolError('CANCELLED_BY_OPERATOR', 'The operator cancelled what this operation had sent.', {
      details: signed.map((one) => ({
        message: mayBeMined(one) ? 'an approval, which was mined' : 'cancelled, and never mined',
        txHash: one.hash,
      })),
    })
  }
  return new ToolError('OPERATION_INCOMPLETE', 'The server stopped while this operation was on its way.', {
    details: signed.map(({ hash }) => ({ message: 'signed before the stop', txHash: hash })),
  })
}
