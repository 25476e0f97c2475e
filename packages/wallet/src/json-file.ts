import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WalletError } from './wallet-error.ts'

/**
 * A list in one file of JSON, readable by its owner only. `read` gives an empty list where there is no file; `replace` puts
 * another list in its place as a whole, durable when it resolves. Both throw `JOURNAL_UNREADABLE`.
 */
export function openJsonFile<Item>(path: string): JsonFile<Item> {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((cause: unknown) => {
        if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '[]'
        throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be read.`, { cause })
      })
      try {
        const items: unknown = JSON.parse(text)
        if (Array.isArray(items)) return items
      } catch (cause) {
        throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} is damaged.`, { cause })
      }
      throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} holds no list.`)
    },
    replace: (items) => replace(path, JSON.stringify(items, null, 2)),
  }
}

export type JsonFile<Item> = {
  read(): Promise<readonly Item[]>
  replace(items: readonly Item[]): Promise<void>
}

async function replace(path: string, text: string): Promise<void> {
  const beside = `${path}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(text)
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
