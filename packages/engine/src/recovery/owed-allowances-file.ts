import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { PendingRevocation, PendingRevocations } from '@svc/store'
import { type Address, isAddress } from 'viem'
import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { readFileIfPresent } from '@svc/runtime'
import { onStorage } from '../call/refusal.ts'

/**
 * Takes what `owed-allowances.json` of the data directory lists into the store: earlier versions kept there what was to be revoked. The file
 * is renamed to `owed-allowances.json.imported` once all of it is on disk, so that a start which was cut off in between, or lost the new name
 * with the machine's power, imports it again.
 * For whoever holds the directory, before anything is signed. Throws `STORAGE_UNAVAILABLE`, and leaves a file that makes no sense as it is.
 */
export async function importOwedAllowances(
  dataDir: string,
  pendingRevocations: Pick<PendingRevocations, 'add'>,
): Promise<void> {
  const listed = await readOwedAllowances(dataDir)
  if (listed === null) return
  const path = pathIn(dataDir)
  await onStorage('the owed allowances cannot be written', async () => {
    await pendingRevocations.add(listed)
    await rename(path, `${path}.imported`)
  })
}

/** What the file lists; `null` where there is none. Throws `STORAGE_UNAVAILABLE`. */
export async function readOwedAllowances(dataDir: string): Promise<readonly PendingRevocation[] | null> {
  const text = await readFileIfPresent(pathIn(dataDir))
  if (text === null) return null
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

const pathIn = (dataDir: string): string => join(dataDir, 'owed-allowances.json')

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
