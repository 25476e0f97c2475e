import { join } from 'node:path'
import { createMutex } from '@svc/wallet/core'
import { type Address, isAddress } from 'viem'
import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'

/**
 * Remembers on disk which allowances must go back to zero, from before the first of them is signed until it is seen to
 * be zero, so that a crash between an approval and its end leaves none standing for good. So it does with the right over a position that a
 * permit gives, until nobody can hand that in any more. What has ended stays here until no reorganisation replaces the block that ended
 * it. The file is `owed-allowances.json` in the data directory.
 */
export function createPendingRevocations(dataDir: string): PendingRevocations {
  const path = join(dataDir, 'owed-allowances.json')
  const inOrder = createMutex()
  const change = (edit: (list: readonly PendingRevocation[]) => readonly PendingRevocation[]): Promise<void> =>
    inOrder(async () => {
      const before = await read(path)
      const after = edit(before)
      if (after !== before) await replaceFileDurably(path, JSON.stringify(after))
    })
  const hasEnded = ({ endedIn }: PendingRevocation): boolean => endedIn !== undefined
  const isAmong = (one: PendingRevocation, some: readonly PendingRevocation[]) =>
    some.some((other) => isSame(one, other))
  return Object.freeze({
    list: async () => (await inOrder(() => read(path))).filter((one) => !hasEnded(one)),
    ended: async () => (await inOrder(() => read(path))).filter(hasEnded),
    add: (pendingRevocations: readonly PendingRevocation[]) =>
      change((list) => {
        const isAgain = (one: PendingRevocation) => hasEnded(one) && isAmong(one, pendingRevocations)
        const added = pendingRevocations.filter((one) => !isAmong(one, list))
        if (added.length === 0 && !list.some(isAgain)) return list
        return [...list.map((one) => (isAgain(one) ? { ...one, endedIn: undefined } : one)), ...added]
      }),
    end: (pendingRevocations: readonly PendingRevocation[], block: bigint) =>
      change((list) => list.map((one) => (isAmong(one, pendingRevocations) ? { ...one, endedIn: `${block}` } : one))),
    remove: (pendingRevocations: readonly PendingRevocation[]) =>
      change((list) => {
        const left = list.filter((one) => !isAmong(one, pendingRevocations))
        return left.length === list.length ? list : left
      }),
    failed: (pendingRevocations: PendingRevocation, at: number) =>
      change((list) => list.map((one) => (isSame(one, pendingRevocations) ? { ...one, failed: again(one, at) } : one))),
  })
}

export type PendingRevocation = {
  readonly chainId: number
  readonly owner: Address
  readonly token: Address
  readonly spender: Address
  /** Where it is the right over one position, and `token` is the position manager: by which signature it may be given. */
  readonly position?: PositionRight | undefined
  /** How often taking it back was mined and failed, or left it owed, and when the last time was, in Unix milliseconds. */
  readonly failed?: { readonly times: number; readonly at: number } | undefined
  /** The number of the block in which it was first seen to be over; absent while it is owed. */
  readonly endedIn?: string | undefined
}

export type PositionRight = {
  readonly tokenId: string
  /** How many such signatures the position had seen before this one. */
  readonly nonce: string
  /** Unix seconds. */
  readonly deadline: number
}

export type PendingRevocations = {
  /** What is owed. */
  list(): Promise<readonly PendingRevocation[]>
  /** What is over in a block that another may still replace. */
  ended(): Promise<readonly PendingRevocation[]>
  /** Notes in which block something was over, where it stands here still. */
  end(pendingRevocations: readonly PendingRevocation[], block: bigint): Promise<void>
  /** What is owed already stays as it is, and what had ended is owed again. */
  add(pendingRevocations: readonly PendingRevocation[]): Promise<void>
  remove(pendingRevocations: readonly PendingRevocation[]): Promise<void>
  /** Notes that taking one back was mined `at` (Unix milliseconds) and failed or left it owed, where it is still owed. */
  failed(pendingRevocations: PendingRevocation, at: number): Promise<void>
}

/**
 * Whether an allowance waits before it is revoked again: each time that was mined for nothing burnt gas, so the wait is
 * a minute after the first and doubles up to a day. A clock that was set back makes nothing wait.
 */
export function isWaiting({ failed }: PendingRevocation, now: number): boolean {
  if (failed === undefined) return false
  const waitMs = Math.min(60_000 * 2 ** (failed.times - 1), 24 * 3_600_000)
  return now >= failed.at && now < failed.at + waitMs
}

const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
const failed = z.object({ times: z.int().positive(), at: z.number() }).optional()
const digits = z.string().regex(/^\d{1,78}$/)
const position = z.object({ tokenId: digits, nonce: digits, deadline: z.int() }).optional()
const listSchema = z.array(
  z.object({
    chainId: z.int(),
    owner: address,
    token: address,
    spender: address,
    position,
    failed,
    endedIn: digits.optional(),
  }),
)

function again(one: PendingRevocation, at: number): NonNullable<PendingRevocation['failed']> {
  return { times: (one.failed?.times ?? 0) + 1, at }
}

async function read(path: string): Promise<readonly PendingRevocation[]> {
  const text = await readFileIfPresent(path)
  if (text === null) return []
  try {
    return listSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new ToolError('STORAGE_UNAVAILABLE', 'owed-allowances.json in the data directory makes no sense.', {
      suggestion:
        'The operator should see which allowances of the wallet stand, then remove the file; nothing is signed until then.',
      cause,
    })
  }
}

function isSame(one: PendingRevocation, other: PendingRevocation): boolean {
  return keyOf(one) === keyOf(other)
}

function keyOf({ chainId, owner, token, spender, position }: PendingRevocation): string {
  const { tokenId = '', nonce = '', deadline = '' } = position ?? {}
  return `${chainId}:${owner}:${token}:${spender}:${tokenId}:${nonce}:${deadline}`.toLowerCase()
}
