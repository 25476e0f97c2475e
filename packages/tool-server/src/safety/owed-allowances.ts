import { join } from 'node:path'
import { createMutex } from '@svc/wallet'
import { type Address, isAddress } from 'viem'
import * as z from 'zod'
import { ToolError } from '../tool-error.ts'
import { readFileIfPresent } from './read-file-if-present.ts'
import { replaceFileDurably } from './replace-file-durably.ts'

/**
 * Remembers on disk which allowances must go back to zero, from before the first of them is signed until it is seen to
 * be zero, so that a crash between an approval and its end leaves none standing for good. The file is
 * `owed-allowances.json` in the data directory.
 */
export function createOwedAllowances(dataDir: string): OwedAllowances {
  const path = join(dataDir, 'owed-allowances.json')
  const inOrder = createMutex()
  const change = (edit: (list: readonly OwedAllowance[]) => readonly OwedAllowance[]): Promise<void> =>
    inOrder(async () => {
      const before = await read(path)
      const after = edit(before)
      if (after.length !== before.length) await replaceFileDurably(path, JSON.stringify(after))
    })
  return Object.freeze({
    list: () => inOrder(() => read(path)),
    add: (owed: readonly OwedAllowance[]) =>
      change((list) => [...list, ...owed.filter((one) => !list.some((other) => isSame(one, other)))]),
    remove: (owed: readonly OwedAllowance[]) =>
      change((list) => list.filter((one) => !owed.some((other) => isSame(one, other)))),
  })
}

export type OwedAllowance = {
  readonly chainId: number
  readonly owner: Address
  readonly token: Address
  readonly spender: Address
}

export type OwedAllowances = {
  list(): Promise<readonly OwedAllowance[]>
  add(owed: readonly OwedAllowance[]): Promise<void>
  remove(owed: readonly OwedAllowance[]): Promise<void>
}

const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
const listSchema = z.array(z.object({ chainId: z.int(), owner: address, token: address, spender: address }))

async function read(path: string): Promise<readonly OwedAllowance[]> {
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

function isSame(one: OwedAllowance, other: OwedAllowance): boolean {
  return keyOf(one) === keyOf(other)
}

function keyOf({ chainId, owner, token, spender }: OwedAllowance): string {
  return `${chainId}:${owner}:${token}:${spender}`.toLowerCase()
}
