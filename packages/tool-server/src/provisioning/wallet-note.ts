import { rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory, readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import * as z from 'zod'
import { ConfigError } from '../config/config-shape.ts'

/**
 * Keeps what a wallet will be known by before its provider is asked for it: a run that is cut off anywhere behind is followed by one that
 * finds the same wallet, with the keys that it was made with. `make` says what stands there where no earlier run left anything. Throws
 * `ConfigError` where what was left makes no sense.
 */
export async function openWalletNote(dataDir: string, make: () => WalletNote): Promise<OpenWalletNote> {
  const path = walletNotePath(dataDir)
  const left = await readFileIfPresent(path)
  if (left !== null) return { note: readNote(left, path), isLeft: true, drop: () => rmSync(path, { force: true }) }
  const isNewPlace = statSync(dataDir, { throwIfNoEntry: false }) === undefined
  const note = make()
  makeDirectory(dataDir)
  await replaceFileDurably(path, `${JSON.stringify(note, null, 2)}\n`)
  return {
    note,
    isLeft: false,
    drop: () => {
      rmSync(path, { force: true })
      if (isNewPlace) removeIfEmpty(dataDir)
    },
  }
}

/** Takes the note of a wallet that stands in the settings away: what was cut off was only this. */
export async function dropWalletNote(dataDir: string, authPrivateKey: string): Promise<void> {
  const path = walletNotePath(dataDir)
  const left = await readFileIfPresent(path)
  if (left !== null && readNote(left, path).authPrivateKey === authPrivateKey) rmSync(path, { force: true })
}

/** Where it stands in a data directory. */
export function walletNotePath(dataDir: string): string {
  return join(dataDir, 'wallet-in-the-making.json')
}

export type OpenWalletNote = {
  readonly note: WalletNote
  /** Whether an earlier run left it. */
  readonly isLeft: boolean
  /** Takes it away, once the wallet stands in the settings or its provider refused to make it. */
  readonly drop: () => void
}

export type WalletNote = z.output<typeof noteForm>

const noteForm = z.strictObject({
  appId: z.string().min(1),
  /** The name of ours by which the provider finds the wallet. */
  externalId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** Of the key that signs requests. */
  authPrivateKey: z.string().min(1),
  ownerPublicKey: z.string().min(1),
  /** Of a pair that was made here. */
  ownerPrivateKey: z.string().min(1).nullable(),
})

function readNote(text: string, path: string): WalletNote {
  try {
    return noteForm.parse(JSON.parse(text))
  } catch {
    // Nothing of it is quoted: it holds keys.
    const message = 'It is damaged. It names a wallet that was being made.'
    const fix = 'Look for it at the provider, then remove the file.'
    throw new ConfigError([{ code: 'WALLET_NOTE_DAMAGED', setting: path, message, fix }])
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Something else stands in it.
  }
}
