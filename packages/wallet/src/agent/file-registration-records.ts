import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createMutex } from '../sender/mutex.ts'
import { WalletError } from '../wallet-error.ts'
import { newestOf } from './memory-registration-records.ts'
import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Records in one file of JSON, readable by its owner only, replaced as a whole and durable before `save` resolves. For
 * one process at a time. Throws `JOURNAL_UNREADABLE` for a file that is damaged or cannot be written.
 */
export function createFileRegistrationRecords(path: string): RegistrationRecords {
  const inTurn = createMutex()
  return {
    load: async (token) => (await readAll(path)).find((record) => record.token === token) ?? null,
    find: async (chainId, registry, owner, updateOf) =>
      newestOf(await readAll(path), { chainId, registry, owner, updateOf }),
    save: (record) =>
      inTurn(async () => {
        const others = (await readAll(path)).filter(({ token }) => token !== record.token)
        await replace(path, [...others, record])
      }),
  }
}

async function readAll(path: string): Promise<readonly RegistrationRecord[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '[]'
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be read.`, { cause })
  })
  try {
    const records: unknown = JSON.parse(text)
    if (Array.isArray(records)) return records
  } catch (cause) {
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} is damaged.`, { cause })
  }
  throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} holds no list of registrations.`)
}

async function replace(path: string, records: readonly RegistrationRecord[]): Promise<void> {
  const beside = `${path}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(records, null, 2))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
    const folder = await open(dirname(path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (cause) {
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be written.`, { cause })
  }
}
