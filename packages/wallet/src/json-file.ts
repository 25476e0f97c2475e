import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lockFile } from './file-journal/lock-file.ts'
import { createMutex } from './sender/mutex.ts'
import { WalletError } from './wallet-error.ts'
import { makeFolder, writeWhole } from './write-whole.ts'

/**
 * A list in one file of JSON, readable by its owner only. `read` gives an empty list where there is no file; `change` puts
 * another list in its place as a whole, durable when it resolves, and nothing where `next` gives `null`. Several processes
 * may share the file: each takes it for the moment of a change. Both throw `JOURNAL_UNREADABLE`, also for items that are
 * none by `isItem`, and leave the file as it is; `change` throws `JOURNAL_LOCKED` when another does not let go of it.
 */
export function openJsonFile<Item>(path: string, isItem: (value: unknown) => boolean = () => true): JsonFile<Item> {
  const inTurn = createMutex()
  const read = () => readItems<Item>(path, isItem)
  return {
    read,
    change: (next) =>
      inTurn(async () => {
        const release = await lockInTime(path, moment)
        try {
          const items = next(await read())
          if (items !== null) await replace(path, JSON.stringify(items, null, 2))
          return items !== null
        } finally {
          await release()
        }
      }),
  }
}

export type JsonFile<Item> = {
  read(): Promise<readonly Item[]>
  /** Tells whether there was something to change. */
  change(next: (items: readonly Item[]) => readonly Item[] | null): Promise<boolean>
}

async function readItems<Item>(path: string, isItem: (value: unknown) => boolean): Promise<readonly Item[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '[]'
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be read.`, { cause, details: { path } })
  })
  try {
    const items: unknown = JSON.parse(text)
    if (Array.isArray(items) && items.every(isItem)) return items
  } catch (cause) {
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} is damaged.`, { cause, details: { path } })
  }
  throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} holds something else than such a list.`, {
    details: { path },
  })
}

/** Another process has the file for a moment at a time. */
const moment: Patience = { trials: 500, pauseMs: 20 }

/**
 * Takes a file for this process, once others let go of it; gives the way to release it. Throws `JOURNAL_LOCKED` when they
 * do not in so many trials, `JOURNAL_UNREADABLE` where there cannot be a file, and the reason of the signal.
 */
export async function lockInTime(path: string, { trials, pauseMs, signal }: Patience): Promise<() => Promise<void>> {
  const unwritable = (cause: unknown) =>
    new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be written.`, { cause, details: { path } })
  await makeFolder(dirname(path))
  for (let trial = 1; ; trial += 1) {
    try {
      return await lockFile(path)
    } catch (cause) {
      if (!(cause instanceof WalletError)) throw unwritable(cause)
      if (trial === trials) throw cause
      await pause(pauseMs)
      signal?.throwIfAborted()
    }
  }
}

export type Patience = { readonly trials: number; readonly pauseMs: number; readonly signal?: AbortSignal }

async function replace(path: string, text: string): Promise<void> {
  await writeWhole(path, text, `${path}.new`).catch((cause: unknown) => {
    throw new WalletError('JOURNAL_UNREADABLE', `The file ${path} cannot be written.`, { cause, details: { path } })
  })
}
